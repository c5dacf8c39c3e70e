/** One look over the bytes of a JSON text before it is parsed: how deep it is, and what may be lost in parsing. */

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
  let next = end + 1;
  while (isSpace(bytes[next])) next += 1;
  if (bytes[next] === colon && end - start - 1 > scan.longestName) scan.longestName = end - start - 1;
  return end;
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
