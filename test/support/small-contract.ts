/** Serves small contracts of the tests' own by the engine, on the HTTP server of this service. */
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { contract } from '../../src/contract/plugin.ts';
import { sendRefusal } from '../../src/http/errors.ts';
import { createHttpServer } from '../../src/http/fastify.ts';

/** What a handler gets, and what it returns, without the types that would be generated. */
type AnyHandler = (request: any, context: any) => Promise<any>;

export interface SmallContract {
  paths: object;
  components?: object;
  handlers?: Record<string, AnyHandler>;
  development?: boolean;
  /** The largest body, in bytes. */
  bodyLimit?: number;
  /** Settings of the server. */
  env?: Record<string, string>;
}

/** The contract as a server, which is closed when the test is over. */
export async function serve({
  paths,
  components = {},
  handlers = {},
  development = true,
  bodyLimit = 2 ** 16,
  env = {},
}: SmallContract): Promise<FastifyInstance> {
  const app = await createHttpServer(
    { ...readConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', ...env }), bodyLimit },
    { link: '</>; rel="x"' },
  );
  onTestFinished(() => app.close());
  const document = { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths, components };
  await app.register(
    contract({
      document,
      handlers: handlers as never,
      authenticators: {},
      context: () => undefined,
      address: () => '',
      sendRefusal,
      development,
    }),
  );
  await app.ready();
  return app;
}

/** One operation, `use`, at POST /things, that takes and returns contents like these. */
export function operation(request: object | undefined, responses: object, extra: object = {}): object {
  return {
    '/things': {
      post: {
        operationId: 'use',
        ...(request && { requestBody: { required: true, content: request } }),
        responses,
        ...extra,
      },
    },
  };
}

/** A response with these contents. */
export const response = (content?: object, headers?: object) => ({
  description: 'x',
  ...(content && { content }),
  ...(headers && { headers }),
});

/** The codes and places of the problems in a response, and its status. */
export function refusal({ statusCode, json }: { statusCode: number; json: () => any }): unknown[] {
  const { errors } = json();
  return [statusCode, ...errors.map(({ code, source }: any) => [code, ...Object.values(source ?? {})].join(' '))];
}
