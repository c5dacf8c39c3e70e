/** Requests for which there is no route: 404 for an unknown path, 405 for a method that a known path lacks. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendRefusal } from './errors.ts';

/**
 * Returns the handler of such requests. It knows the routes that are added after this call. The paths of the contract
 * do not come here with a wrong method: the engine gives them a route for the methods that they lack.
 */
export function notFoundHandler(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, new Set([...(methodsOf.get(url) ?? []), ...[method].flat()]));
  });
  return (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const methods = methodsOf.get(withoutTrailingSlash(path));
    if (methods === undefined) {
      return sendRefusal(reply, 404, [{ code: 'not_found', message: `There is nothing at ${path}.` }]);
    }
    const allow = [...methods].toSorted().join(', ');
    const message = `${request.method} is not a method of this path; it has ${allow}.`;
    return sendRefusal(reply.header('allow', allow), 405, [{ code: 'method_not_allowed', message }]);
  };
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
