/** An encrypted connection to PostgreSQL: the same service. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { reasonToSkip } from '../support/needs.ts';
import { testService } from '../support/service.ts';
import { findPrograms, PostgresProcess } from './server.ts';

const programs = findPrograms();

/** A server that has a certificate of its own. */
async function tlsServer() {
  const server = await PostgresProcess.create(programs!);
  onTestFinished(() => server.remove());
  const [key, certificate] = [join(server.folder, 'server.key'), join(server.folder, 'server.crt')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
    stdio: 'ignore',
  });
  const { uid, gid } = statSync(join(server.folder, 'data'));
  chownSync(key, uid, gid);
  chmodSync(key, 0o600);
  await server.stop();
  await server.start(['ssl=on', `ssl_key_file=${key}`, `ssl_cert_file=${certificate}`]);
  return { server, certificate };
}

test.skipIf(reasonToSkip(programs === undefined ? 'The programs of PostgreSQL are missing.' : undefined))(
  'the service reads and writes over TLS, and checks the certificate',
  async () => {
    const { server, certificate } = await tlsServer();
    const url = new URL(server.url);
    url.hostname = 'localhost';
    url.search = `${new URLSearchParams({ sslmode: 'verify-full', sslrootcert: certificate })}`;
    const { send } = await testService({ DATABASE_URL: url.href });
    const surveys = Array.from({ length: 20 }, (_, at) => ({
      name: `Survey ${at}`,
      description: 'The river rises. '.repeat(1000),
      tasks: [{ label: 'Damage', fields: [{ label: 'Depth', type: 'int', input: 'number' }] }],
    }));
    const created = await Promise.all(surveys.map((survey) => send('POST', '/api/v5/surveys', survey)));
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
    const changed = await Promise.all(
      created.map(({ json }, at) => send('PUT', `/api/v5/surveys/${json.results[0].id}`, { name: `Changed ${at}` })),
    );
    expect(new Set(changed.map(({ status }) => status))).toEqual(new Set([200]));
    const { json } = await send('GET', '/api/v5/surveys?only=name');
    expect(new Set(json.results.map(({ name }: { name: string }) => name))).toEqual(
      new Set(surveys.map((_, at) => `Changed ${at}`)),
    );
    const admin = new Client(server.url);
    await admin.connect();
    onTestFinished(() => admin.end());
    const { rows } = await admin.query(`select bool_and(ssl) as encrypted from pg_stat_ssl
      join pg_stat_activity using (pid) where application_name = 'survey-hxl-service'`);
    expect(rows).toEqual([{ encrypted: true }]);
  },
);
