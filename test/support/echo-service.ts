/** Small contracts, served by the engine alone: each operation returns the request as its handler got it. */
import Fastify, { type FastifyReply, type InjectOptions } from 'fastify';
import { onTestFinished } from 'vitest';
import type { Authenticator, Identity } from '../../src/contract/authorization.ts';
import { contract } from '../../src/contract/plugin.ts';
import type { Problem } from '../../src/contract/problem.ts';

const responses = { 200: { description: 'The request.', content: { 'application/json': { schema: {} } } } };

/** A contract with these paths. An operation without responses gets one for what the service returns. */
export function document(paths: Record<string, any>, rest: object = {}) {
  const withResponses = Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [
          name,
          ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'].includes(name)
            ? { operationId: `${name} ${path}`, responses, ...(value as object) }
            : value,
        ]),
      ),
    ]),
  );
  return { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths: withResponses, ...rest };
}

/** Serves a contract; `authenticators` for its security schemes. */
export async function echoService(
  contractDocument: object,
  options: { authenticators?: Record<string, Authenticator<Identity, any>>; development?: boolean } = {},
) {
  const app = Fastify();
  onTestFinished(() => app.close());
  const ids = Object.values((contractDocument as { paths: object }).paths).flatMap((item: object) =>
    Object.values(item).flatMap((operation: any) => operation?.operationId ?? []),
  );
  const echo = async (request: object, context: { identity: Identity | null }) => ({
    status: 200,
    body: { ...request, caller: context.identity?.id ?? null },
  });
  await app.register(
    contract({
      document: contractDocument,
      handlers: Object.fromEntries(ids.map((id) => [id, echo])) as never,
      authenticators: options.authenticators ?? {},
      context: (_request, identity) => ({ identity }),
      address: () => '',
      sendRefusal: (reply: FastifyReply, status: number, problems: readonly Problem[]) =>
        reply.code(status).header('content-type', 'application/json').send(JSON.stringify({ problems })),
      development: options.development ?? true,
    }),
  );
  await app.ready();
  const send = async (request: InjectOptions | string) => {
    const response = await app.inject(request);
    const json = response.body === '' ? undefined : JSON.parse(response.body);
    return { status: response.statusCode, headers: response.headers, json, problems: json?.problems as Problem[] };
  };
  return { app, send };
}

/** Why the engine does not serve this contract: one line each. */
export async function refusalOf(contractDocument: object, authenticators = {}): Promise<string[]> {
  try {
    await echoService(contractDocument, { authenticators });
  } catch (error) {
    return (error as Error).message.split('\n').slice(1);
  }
  return [];
}
