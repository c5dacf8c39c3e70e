/** Where clients reach this service: the public URL, or what a request was sent to. */
import type { FastifyRequest } from 'fastify';

/** What every absolute URL of this service begins with, without a slash at its end. */
export function baseUrl(publicUrl: string | undefined, { protocol, host, socket }: FastifyRequest): string {
  // HTTP/1.0 allows a request that names no host.
  return publicUrl ?? `${protocol}://${host || `${socket.localAddress}:${socket.localPort}`}`;
}

/** What clients have before a path of this server: nothing, unless the public URL has a path itself. */
export function pathOf(publicUrl?: string): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
}
