/** Looks over the bytes of a JSON text before it is parsed: how deep it is, and what may be lost in parsing. */
import { randomBytes } from 'node:crypto';

export interface JsonScan {
  /** How many arrays and objects are open at once at most. */
  depth: number;
  /** The longest name of a member, in bytes. */
  longestName: number;
  /**
   * Whether the text may hold a value that cannot be stored. In valid UTF-8, NUL and lone surrogates can only stand as
   * escapes. A number out of range has an exponent of three digits or very many digits.
   */
  suspicious: boolean;
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
/** The largest double has 309 digits. */
const manyDigits = 200;

/** Scans UTF-8 bytes in linear time. Text that is no JSON gets some result; parsing it refuses it later. */
export function scanJson(bytes: Uint8Array): JsonScan {
  const scan: JsonScan = { depth: 0, longestName: 0, suspicious: false };
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) at = scanText(bytes, at, scan);
    else if (isDigit(byte)) at = scanNumber(bytes, at, scan);
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > scan.depth) scan.depth = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return scan;
}

/** Scans the text that begins with the quote at `start`; returns where its last quote is. */
function scanText(bytes: Uint8Array, start: number, scan: JsonScan): number {
  let end = start + 1;
  while (end < bytes.length && bytes[end] !== quote) {
    if (bytes[end] === backslash) {
      if (bytes[end + 1] === 0x75 && isSuspiciousEscape(bytes, end + 2)) scan.suspicious = true;
      end += 1;
    }
    end += 1;
  }
  if (end - start - 1 > scan.longestName && isNameBefore(bytes, end)) scan.longestName = end - start - 1;
  return end;
}

/**
 * How many different sequences of names the objects in a JSON text begin with, counted up to `most`. V8 makes a hidden
 * class for each of them, and that takes most of the time of parsing where names are all different: a megabyte of them
 * is parsed in 250 ms, of others in 10 to 30 ms (node v24).
 *
 * @param depth at least how many arrays and objects are open at once.
 */
export function countNameSequences(bytes: Uint8Array, depth: number, most: number): number {
  const seen = new Set<number>();
  const open = new Int32Array(depth + 1);
  let level = 0;
  for (let at = 0; at < bytes.length && seen.size < most; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) {
      let hash = Math.imul(open[level]!, multiplier);
      for (at += 1; at < bytes.length && bytes[at] !== quote; at += 1) {
        if (bytes[at] === backslash) at += 1;
        hash = Math.imul(hash ^ bytes[at]!, multiplier);
      }
      if (isNameBefore(bytes, at)) seen.add((open[level] = Math.imul(hash ^ quote, multiplier)));
    } else if (byte === 0x7b || byte === 0x5b) open[(level += 1)] = 1;
    else if (byte === 0x7d || byte === 0x5d) level -= 1;
  }
  return seen.size;
}

/** Nobody else knows it, so nobody can send many names of the same hash. */
const multiplier = randomBytes(4).readInt32LE() | 1;

/** Whether the text whose last quote is at `end` is the name of a member. */
function isNameBefore(bytes: Uint8Array, end: number): boolean {
  let next = end + 1;
  while (isSpace(bytes[next])) next += 1;
  return bytes[next] === colon;
}

/** Scans the number whose first digit is at `start`; returns where its last character is. */
function scanNumber(bytes: Uint8Array, start: number, scan: JsonScan): number {
  let end = start;
  let exponent = -1;
  for (; isNumeric(bytes[end + 1]); end += 1) {
    if (bytes[end + 1] === 0x65 || bytes[end + 1] === 0x45) exponent = end + 1;
  }
  if (end - start >= manyDigits || (exponent >= 0 && end - exponent >= 3)) scan.suspicious = true;
  return end;
}

/** Whether the four digits of an escape are those of NUL or of a surrogate. */
function isSuspiciousEscape(bytes: Uint8Array, at: number): boolean {
  const [first, second, third, fourth] = bytes.subarray(at, at + 4);
  if (first === 0x30) return second === 0x30 && third === 0x30 && fourth === 0x30;
  return (first === 0x64 || first === 0x44) && second !== undefined && (second === 0x38 || second > 0x38);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether a byte can stand inside a number behind its first digit. */
function isNumeric(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return isDigit(byte) || byte === 0x2e || byte === 0x65 || byte === 0x45 || byte === 0x2b || byte === 0x2d;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
