/** The digests in the row of a survey: one for each column, so that columns that are read alone can be checked too. */
import { digestOf } from '../database/digest.ts';
import { StorageError } from '../database/storage-error.ts';
import type { StoredSurvey, SurveyRow } from '../database/tables.ts';
import { columnNames } from './record.ts';

/**
 * Where the digest of each column is: in the order of the members, eight hexadecimal digits each. A migration that adds
 * a column, or comes with another order, has to write the digests of all rows anew.
 */
const positions = new Map<keyof SurveyRow, number>(columnNames.map((column, at) => [column, at * 8]));
const length = positions.size * 8;

/** The digests of a row. */
export function digestsOf(row: SurveyRow): string {
  let digests = '';
  for (const column of columnNames) {
    const digest = digestOf(row.id, row[column]);
    digests += hex[digest >>> 24]! + hex[(digest >>> 16) & 255] + hex[(digest >>> 8) & 255] + hex[digest & 255];
  }
  return digests;
}

/** The bytes as two hexadecimal digits: they are written several times as fast as with `toString`. */
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** What is read of a row, to be checked. Texts may come as bytes. */
export type DigestedRow = Pick<StoredSurvey, 'id' | 'digests'> & {
  [Column in keyof SurveyRow]?: SurveyRow[Column] | Buffer;
};

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
    let intact = typeof digests === 'string' && digests.length === length;
    for (let at = 0; intact && at < places.length; at += 1) {
      const [column, position] = places[at]!;
      const ofPublished = published && column === 'tasks' ? digestAt(digests, publishedPosition) : 0;
      const value = row[column];
      intact = value !== undefined && digestOf(id, value) === (ofPublished || digestAt(digests, position));
    }
    if (!intact) throw new StorageError('corrupt', `Survey ${id} is not as it was stored.`);
  };
}

/** The digest at this position. Not with `parseInt`, which takes several times as long. */
function digestAt(digests: string, position: number): number {
  let digest = 0;
  for (let at = position; at < position + 8; at += 1) {
    const code = digests.charCodeAt(at);
    // '0' to '9', or 'a' to 'f'.
    digest = (digest << 4) | (code < 58 ? code - 48 : code - 87);
  }
  return digest >>> 0;
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
