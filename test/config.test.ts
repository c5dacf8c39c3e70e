/** The settings and their defaults. test/process/serve.test.ts shows what a person sees who got one wrong. */
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

const defaults = {
  host: '127.0.0.1',
  port: 3000,
  databaseUrl: 'file:./data/service.db',
  logLevel: 'info',
  bodyLimit: 1_048_576,
  surveySizeLimit: 4_194_304,
  ifMatchRequired: false,
  cacheSize: 67_108_864,
  drainTime: 500,
  workers: 1,
  databasePoolSize: 10,
  databaseTimeout: 5000,
  databaseStatementTimeout: 30_000,
  databasePrepare: true,
  environment: 'production',
  publicUrl: undefined,
  compression: true,
  corsOrigins: undefined,
};

test('every setting has a default, also when its variable is empty', () => {
  const empty = {
    HOST: '',
    PORT: '',
    DATABASE_URL: '',
    LOG_LEVEL: '',
    BODY_LIMIT: '',
    SURVEY_SIZE_LIMIT: '',
    CACHE_SIZE: '',
    DRAIN_TIME: '',
    WORKERS: '',
    DATABASE_POOL_SIZE: '',
    DATABASE_TIMEOUT: '',
    DATABASE_STATEMENT_TIMEOUT: '',
    DATABASE_PREPARE: '',
    PUBLIC_URL: '',
    COMPRESSION: '',
    CORS_ORIGINS: '',
  };
  expect(readConfig({})).toEqual(defaults);
  expect(readConfig({ ...empty, NODE_ENV: '' })).toEqual(defaults);
});

test.each([
  ['PORT', '0', { port: 0 }],
  ['BODY_LIMIT', '1073741824', { bodyLimit: 2 ** 30 }],
  ['SURVEY_SIZE_LIMIT', '4096', { surveySizeLimit: 4096 }],
  ['REQUIRE_IF_MATCH', 'true', { ifMatchRequired: true }],
  ['DRAIN_TIME', '0', { drainTime: 0 }],
  ['WORKERS', '64', { workers: 64 }],
  ['PUBLIC_URL', 'https://example.org/base//', { publicUrl: 'https://example.org/base' }],
  ['CORS_ORIGINS', '*', { corsOrigins: '*' }],
  ['CORS_ORIGINS', 'https://a.example, http://[::1]:8080', { corsOrigins: ['https://a.example', 'http://[::1]:8080'] }],
  ['COMPRESSION', 'false', { compression: false }],
  ['NODE_ENV', 'development', { environment: 'development' }],
  ['NODE_ENV', 'test', { environment: 'test' }],
  ['NODE_ENV', 'anything', { environment: 'production' }],
])('%s may be %s', (variable, text, expected) => {
  expect(readConfig({ [variable]: text })).toMatchObject(expected);
});

test.each([
  ['PORT', '0x10'],
  ['PORT', '65536'],
  ['BODY_LIMIT', '1073741825'],
  ['SURVEY_SIZE_LIMIT', '4095'],
  ['SURVEY_SIZE_LIMIT', '67108865'],
  ['DRAIN_TIME', '5001'],
  ['COMPRESSION', '0'],
  ['WORKERS', '0'],
  ['WORKERS', '65'],
  ['LOG_LEVEL', 'INFO'],
  ['DATABASE_URL', 'file::memory:'],
  ['PUBLIC_URL', 'ftp://example.org'],
  ['CORS_ORIGINS', 'https://a.example/'],
  ['CORS_ORIGINS', 'https://a.example/editor'],
  ['CORS_ORIGINS', 'a.example'],
  ['CORS_ORIGINS', '*.example.org'],
  ['CORS_ORIGINS', 'https://*.example.org'],
  ['CORS_ORIGINS', 'https://A.example'],
  ['CORS_ORIGINS', 'https://a.example:443'],
  ['CORS_ORIGINS', 'https://a.example,'],
  ['CORS_ORIGINS', 'null'],
  ['CORS_ORIGINS', 'https://a.example,*'],
  ['CORS_ORIGINS', 'file://'],
  ['PUBLIC_URL', 'https://example.org/?x=1'],
])('%s may not be %s', (variable, text) => {
  const read = () => readConfig({ [variable]: text });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`  ${variable} must be `);
  expect(read).toThrow(`, not "${text}"`);
});
