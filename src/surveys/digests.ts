/** The digests in the row of a survey: one for each column, so that columns that are read alone can be checked too. */
import { digestOf } from '../database/digest.ts';
import { StorageError } from '../database/storage-error.ts';
import type { StoredSurvey, SurveyRow } from '../database/tables.ts';
import { columnNames } from './record.ts';

/**
 * Where the digest of each column is: in the order of the members, four bytes each, little-endian. A migration that adds
 * a column, or comes with another order, has to write the digests of all rows anew.
 */
const positions = new Map<keyof SurveyRow, number>(columnNames.map((column, at) => [column, at * 4]));
const size = positions.size * 4;

/** The digests of a row. */
export function digestsOf(row: SurveyRow): Buffer {
  const digests = Buffer.allocUnsafe(size);
  for (const [column, position] of positions) digests.writeUInt32LE(digestOf(row.id, row[column]), position);
  return digests;
}

/** What is read of a row, to be checked. */
export type DigestedRow = Partial<SurveyRow> & Pick<StoredSurvey, 'id' | 'digests'>;

/**
 * Makes the function that compares these columns of a row with their digests. With `published`, the row has in `tasks`
 * the published tasks, or all tasks where those are null. What is null may be damaged too, so the digest decides.
 *
 * @throws StorageError when one is damaged.
 */
export function digestChecker(columns: readonly (keyof SurveyRow)[], published = false): (row: DigestedRow) => void {
  const publishedPosition = positions.get('published_tasks')!;
  const places = columns.map((column) => [column, positions.get(column)!] as const);
  return (row) => {
    const { id, digests } = row;
    let intact = Buffer.isBuffer(digests) && digests.length === size;
    for (let at = 0; intact && at < places.length; at += 1) {
      const [column, position] = places[at]!;
      const ofPublished = published && column === 'tasks' ? digests.readUInt32LE(publishedPosition) : 0;
      const value = row[column];
      intact = value !== undefined && digestOf(id, value) === (ofPublished || digests.readUInt32LE(position));
    }
    if (!intact) throw new StorageError('corrupt', `Survey ${id} is not as it was stored.`);
  };
}

/** The columns of a whole row that are damaged; all of them when the digests are. */
export function damagedColumns(row: StoredSurvey): (keyof SurveyRow)[] {
  return columnNames.filter((column) => {
    try {
      digestChecker([column])(row);
      return false;
    } catch {
      return true;
    }
  });
}
