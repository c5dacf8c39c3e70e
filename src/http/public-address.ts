/** Where clients reach this service: at the public URL, or where they sent the request. */
import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The begin of every absolute URL of this service, without a slash at its end. */
export function baseUrl(publicUrl: string | undefined, { protocol, host, socket }: FastifyRequest): string {
  // HTTP/1.0 allows a request without the header Host.
  return publicUrl ?? `${protocol}://${host || `${socket.localAddress}:${socket.localPort}`}`;
}

/** The path of the public URL, which clients see in front of every path of this server; empty when it has none. */
export function pathOf(publicUrl?: string): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
}

/** A host and perhaps a port as the header Host has them (RFC 9110, section 7.2). */
const authority = /^(?:\[[\da-f:.]{2,45}\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2}){1,255})(?::\d{0,5})?$/i;

let lastAuthority: string | undefined;

/** Whether a text is a host, perhaps with a port: `example.org`, `127.0.0.1:3000`, `[::1]:3000`. */
export function isAuthority(text: string): boolean {
  // Most requests name the same host as the request before.
  if (text === lastAuthority) return true;
  if (!authority.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastAuthority = text;
  return true;
}

/** Whether only this machine reaches all of these addresses. */
export function isLoopback(addresses: readonly (AddressInfo | string)[]): boolean {
  return addresses.every((one) => /^(?:127\.|::1$|::ffff:127\.)/.test(typeof one === 'string' ? one : one.address));
}
