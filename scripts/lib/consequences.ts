/** What a change of the contract means for those who use it, in one sentence or two. */
import type { Change } from './redocly-diff.ts';
import type { Impact } from './version.ts';

interface Situation {
  change: Change;
  impact: Impact;
  /** Whether clients send what has changed, and whether they read it. */
  sent: boolean;
  read: boolean;
  /** The member, parameter, header, schema or operation that has changed. */
  name: string;
}

const generateAgain = 'Generated code: generate it again.';

/** By the rule of Redocly that was broken, what its name means: https://redocly.com/docs/cli/rules/diff-rules */
const byRule: Record<string, (name: string, sent: boolean) => string> = {
  'path-removed': () => 'Callers get 404: stop calling it.',
  'operation-removed': () => 'Callers get 405: stop calling it.',
  'operation-id-changed': () =>
    'Generated code: the function has another name. Change where it is called. Requests stay the same.',
  'parameter-removed': (name) => `Callers that send \`${name}\`: it is ignored, do without it.`,
  'parameter-became-required': (name) => `Callers that leave out \`${name}\` are refused: send it.`,
  'parameter-serialization-changed': (name) =>
    `Callers that send \`${name}\` in the old form are refused or misread: send it in the new form. ${generateAgain}`,
  'request-body-removed': () => 'Callers that send a body: it is ignored, do without it.',
  'request-body-became-required': () => 'Callers that send no body are refused: send one.',
  'response-removed': () => `Clients that wait for this status: it does not come any more. ${generateAgain}`,
  'response-header-removed': (name) => `Clients that read \`${name}\`: do without it.`,
  'media-type-removed': (_, sent) =>
    sent
      ? 'Callers that send this media type are refused: send another one.'
      : 'Clients that ask for this media type: ask for another one.',
  'enum-values-removed': (name) => `Callers that send a removed value as \`${name}\` are refused: send another one.`,
  'enum-values-added': (name) =>
    `Clients that read \`${name}\` meet values that they do not know: take them. Generated code with a closed enumeration fails: ${generateAgain.split(': ')[1]}`,
  'required-properties-added': (name) => `Callers that leave out what \`${name}\` requires now are refused: send it.`,
  'required-properties-removed': (name) =>
    `Clients that read \`${name}\` may find members missing: do not rely on them. ${generateAgain}`,
  'property-removed': (name) => `Clients that read \`${name}\`: do without it. ${generateAgain}`,
  'security-scheme-changed': () => 'All callers: send credentials in the new form.',
  'server-removed': () => 'Callers with this address: use another one.',
};

/** Who is hurt by a change, and what they have to do. */
export function consequence(situation: Situation): string {
  const { change, impact, sent, read, name } = situation;
  if (impact === 'patch') return 'Nobody.';
  if (impact === 'minor') return `Nobody; ${harmless(situation)}`;
  const known = change.verdicts.flatMap(({ ruleId }) => byRule[ruleId]?.(name, sent) ?? []);
  if (known.length > 0) return known.join(' ');
  const ofThisApi = raised(situation);
  if (ofThisApi !== undefined) return ofThisApi;
  return [
    ...(sent ? [`Callers that send \`${name}\` may be refused: send what fits now.`] : []),
    ...(read ? [`Clients that read \`${name}\` find it changed: read it as it is now.`] : []),
    ...(sent || read ? [] : ['All clients: look at what has changed.']),
    generateAgain,
  ].join(' ');
}

/** What is rated higher than Redocly does, in rating.ts. */
function raised({ change: { typeName, kind, property, path }, sent, name }: Situation): string | undefined {
  const isMoved = (holder: string) =>
    kind !== 'modified' && new RegExp(`/${holder}/[^/]+/(content|schema)$`).test(path);
  if (typeName === 'RequestBody') return `Callers that send no body are refused: send one. ${generateAgain}`;
  if (typeName === 'Header' && property === 'required')
    return `Clients that read \`${name}\` may find it missing: do not rely on it. ${generateAgain}`;
  if (typeName === 'PatternProperties' || /\/patternProperties\/[^/]+$/.test(path)) {
    const members = `members of \`${name}\` whose names fit a pattern`;
    if (!sent) return `Clients that read ${members}: do not rely on them. ${generateAgain}`;
    return kind === 'added'
      ? `Callers that send ${members}: those that do not fit are refused, send what fits. ${generateAgain}`
      : `Callers that send ${members}: they are refused or ignored, do without them. ${generateAgain}`;
  }
  if (isMoved('parameters'))
    return `Callers that send \`${name}\` in the old form are refused or misread: send it in the new form. ${generateAgain}`;
  if (isMoved('headers'))
    return `Clients that read \`${name}\` find it in another form: read the new one. ${generateAgain}`;
  if (kind === 'removed' && /\/requestBody\/.*\/properties\/[^/]+$/.test(path))
    return `Callers that send \`${name}\`: it is ignored, do without it. ${generateAgain}`;
  if (property === 'default')
    return `Callers that leave out \`${name}\` get another response: send the value they want.`;
  if (property === 'x-max-depth') return `Callers that send \`${name}\` deeper are refused: nest it less.`;
  return undefined;
}

function harmless({ change: { kind, property, typeName }, sent, read, name }: Situation): string {
  if (property === 'key' && typeName === 'Schema') return `generated code has another name for this type.`;
  if (property === 'tags') return 'generated code may sort the operation elsewhere.';
  if (property === 'deprecated') return 'callers should look for what replaces it.';
  if (kind === 'added' && typeName === 'Response')
    return 'clients that get this status treat it as others of its kind.';
  if (kind === 'added' && (typeName === 'Operation' || typeName === 'PathItem')) return 'whoever needs it may call it.';
  if (sent && !read) return `callers may send \`${name}\` so, and need not.`;
  if (read && !sent) return `clients that read \`${name}\` find more than before and ignore what they do not know.`;
  return 'it may be used, and need not.';
}
