/** Access tokens as text: made and hashed. */
import { hash, randomBytes } from 'node:crypto';

/** A new token: 256 random bits behind a prefix that secret scanners can look for. */
export function createToken(): string {
  return `shx_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a token, and looked up by: its SHA-256 in hexadecimal. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}
