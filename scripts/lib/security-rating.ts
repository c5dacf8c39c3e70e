/** Compares which credentials each operation takes. */
import { isDeepStrictEqual } from 'node:util';
import type { Rated } from './diff-report.ts';
import { type Json, operationsOf } from './document.ts';

/** The schemes that are needed together, each with its scopes. */
type Requirement = Record<string, string[]>;

/** The changes of operations that are in both contracts, which are in their normal form (normalize.ts). */
export function rateSecurity(before: Json, after: Json): Rated[] {
  return operationsOf(after).flatMap(({ path, method, operation }) => {
    const old = before.paths?.[path]?.[method];
    if (old === undefined || isDeepStrictEqual(old.security, operation.security)) return [];
    const what = `${inWords(old.security)} → ${inWords(operation.security)}.`;
    const place = `${method.toUpperCase()} ${path} › security`;
    return [{ operations: [operation.operationId], place, what, ...effect(old.security, operation.security) }];
  });
}

function effect(before: Requirement[], after: Requirement[]): Pick<Rated, 'impact' | 'who'> {
  const refused = alternatives(before).filter((had) => !alternatives(after).some((needed) => suffices(had, needed)));
  if (refused.length > 0) {
    const whom = isOpen(refused) ? 'Callers without credentials' : `Callers with ${inWords(refused)}`;
    return { impact: 'major', who: `${whom} are refused: send ${inWords(after)}. Generated code: generate it again.` };
  }
  if (isOpen(alternatives(after)) && !isOpen(alternatives(before)))
    return {
      impact: 'major',
      who:
        'Whoever relied on the protection: anybody may call it now. ' +
        'Generated code sends no credentials any more: generate it again.',
    };
  return { impact: 'minor', who: 'Nobody; callers may use other credentials, or some with fewer scopes.' };
}

/** No requirement at all is the one that nothing is needed. */
const alternatives = (requirements: Requirement[]): Requirement[] => (requirements.length === 0 ? [{}] : requirements);

const isOpen = (requirements: Requirement[]) => requirements.some((one) => Object.keys(one).length === 0);

/** Whether credentials that fit one requirement fit another one too. */
function suffices(had: Requirement, needed: Requirement): boolean {
  return Object.entries(needed).every(
    ([scheme, scopes]) => had[scheme] !== undefined && scopes.every((scope) => had[scheme]!.includes(scope)),
  );
}

/** Such as `bearer` (surveys:read) or `apiKey`. */
function inWords(requirements: Requirement[]): string {
  const schemes = (one: Requirement) =>
    Object.entries(one).map(([name, scopes]) => `\`${name}\`${scopes.length > 0 ? ` (${scopes.join(', ')})` : ''}`);
  return alternatives(requirements)
    .map((one) => schemes(one).join(' and ') || 'no credentials')
    .join(' or ');
}
