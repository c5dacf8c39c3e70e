/** Where clients reach this service: at the public URL, or where they sent the request. */
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
