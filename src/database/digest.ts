/** Digests of stored values: they show whether a value that is read is the one that was written. */
import { crc32 } from 'node:zlib';

/**
 * The digest of a value in the row with this id: never 0, but for null. Bytes have that of their text. It is CRC-32,
 * which finds every damage of up to 32 bits in a row and all but one of four thousand million others: damage is random,
 * so a digest that nobody can forge would cost more and find no more. The id is part of it, because damage may lead to
 * the value of another row.
 */
export function digestOf(id: number, value: string | Uint8Array | number | null): number {
  if (value === null) return 0;
  return crc32(typeof value === 'number' ? `#${value}` : value, id) || 1;
}
