/** The log of requests: one line each, written when the response has been sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Whether a logger of this level writes the line. */
export function logsRequests(level: string): boolean {
  return ['trace', 'debug', 'info'].includes(level);
}

/** Writes the line. It has no header and no body: those may hold credentials and what people report. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { id: reqId, method, url, routeOptions } = request;
  const { operationId, queryCredentials = [] } = routeOptions.config;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  request.log.info(
    { reqId, operationId, method, url: withoutValues(url, queryCredentials), status: reply.statusCode, ms },
    'responded',
  );
}

/** A URL without the values of these names in its query. */
function withoutValues(url: string, names: readonly string[]): string {
  if (names.length === 0) return url;
  const [path, query = ''] = url.split(/\?(.*)/s, 2);
  const pairs = query.split('&').map((pair) => {
    const [name = ''] = pair.split('=', 1);
    return names.includes(decoded(name)) ? `${name}=…` : pair;
  });
  return query === '' ? url : `${path}?${pairs.join('&')}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
