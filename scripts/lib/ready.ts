/** Loaded before the server by `npm run dev`: loads its packages ahead of time, then waits until the server shall start. */
import { once } from 'node:events';

// A package that is not named here is loaded when the server starts, a little later.
const packages = [
  '@fastify/sensible',
  'ajv/dist/2020.js',
  'ajv-formats',
  'better-sqlite3',
  'close-with-grace',
  'fast-json-stringify',
  'fastify',
  'kysely',
  'openapi-backend',
  'pino',
  'pino-pretty',
];

// Whatever became of the process that started this one: no server stays behind without it.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
await Promise.all([...packages.map((name) => import(name)), once(process, 'message')]);
process.channel?.unref();
