/** What every TypeScript round trip sends, and how it tells what it got. */

/** A survey with all that a translation can hold: texts, a text beside the languages, options as a list and by index. */
export const floodReport = {
  name: 'Flood report',
  description: 'One report for each settlement.',
  color: '0B74B8',
  translations: { name: 'Flood report', es: { name: 'Informe de inundación' } },
  tasks: [
    {
      label: 'Situation report',
      type: 'post' as const,
      fields: [
        { label: 'Settlement', type: 'title' as const, input: 'text' as const, required: true },
        {
          id: 'interim_id_1',
          label: 'Access',
          type: 'varchar' as const,
          input: 'select' as const,
          config: { hint: 'Main road' },
          options: ['By car', 'On foot'],
          translations: { es: { options: ['En auto', 'A pie'] }, fr: { options: { 1: 'À pied' } } },
        },
      ],
    },
    { id: null, label: 'Verification' },
  ],
};

/** A question that is added to the survey after it was read. */
export const photo = { id: 'interim_id_2', label: 'Photo', type: 'media' as const, input: 'image' as const };

/** A survey with two faults that no client can see. */
export const faulty = {
  tasks: [
    {
      label: 'Situation report',
      fields: [
        { label: 'Settlement', type: 'title' as const, input: 'text' as const },
        { label: 'District', type: 'title' as const, input: 'text' as const },
        { label: 'Words', type: 'tags' as const, input: 'tags' as const, response_private: true },
      ],
    },
  ],
};

/** A dataset, but for its licence. */
export const dataset = {
  dataset_title: 'Flood reports of March',
  source: 'Field teams',
  organisation_id: 'red-cross-x',
  organisation_name: 'Red Cross X',
  private: false,
};

/** A refusal as a line of the transcript: the status, then every problem with its place. */
export function refusal(status: number | undefined, body: { errors: { code: string; source?: { pointer?: string } }[] }): string {
  const problems = body.errors.map(({ code, source }) => source?.pointer === undefined ? code : `${code} at ${source.pointer}`);
  return `${status} ${problems.join(', ')}`;
}

/** Stops the round trip when something is not as it has to be. */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`It does not hold that ${what}.`);
}
