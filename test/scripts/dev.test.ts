/** `npm run dev` as a process, with a server that only says when it starts and ends. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const server = `
  const alive = setInterval(() => {}, 1000);
  process.on('SIGTERM', () => {
    process.stdout.write('ended\\n');
    clearInterval(alive);
  });
  process.stdout.write('started\\n');
`;

/** `npm run dev` in a copy of the repository, until the test is over. */
function startDev() {
  const copy = mkdtempSync(join(tmpdir(), 'dev-'));
  for (const name of ['openapi', 'redocly.yaml', 'scripts', 'package.json', 'src/contract'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  mkdirSync(join(copy, 'src'), { recursive: true });
  writeFileSync(join(copy, 'src/server.ts'), server);

  const dev = spawn(process.execPath, [join(copy, 'scripts/dev.ts')]);
  const exit = new Promise((resolve) => dev.on('exit', resolve));
  let output = '';
  dev.stdout.on('data', (data) => (output += data));
  dev.stderr.on('data', (data) => (output += data));
  onTestFinished(() => {
    dev.kill('SIGKILL');
    rmSync(copy, { recursive: true });
  });

  /** What was printed up to this; what comes later is left for the next call. */
  const until = async (text: string) => {
    await expect.poll(() => output).toContain(text);
    const end = output.indexOf(text) + text.length;
    const printed = output.slice(0, end);
    output = output.slice(end);
    return printed;
  };
  /** Saves as many editors do: a new file takes the place of the old one. */
  const save = (file: string, change: (text: string) => string) => {
    const path = join(copy, file);
    writeFileSync(`${path}.tmp`, change(readFileSync(path, 'utf8')));
    renameSync(`${path}.tmp`, path);
  };
  return { copy, dev, exit, until, save };
}

test('the server restarts with a new contract or new code, and survives a contract with problems', async () => {
  const { dev, exit, until, save } = startDev();
  const contract = 'openapi/openapi.yaml';

  expect(await until('started')).toContain('wrote openapi.json');
  for (const round of ['first', 'second']) {
    save(contract, (text) => text.replace('description: |', `description: |\n    ${round}\n`));
    // On a slow machine the files are seen one after the other, and the server starts more than once.
    await until('\nwrote openapi.json, openapi.yaml');
    expect(await until('started')).toMatch(/^ended$/m);
  }
  save('scripts/contract.ts', (text) => text.replace('everything is up to date', 'nothing is new'));
  await until('nothing is new');
  save('scripts/contract.ts', (text) => `${text}) // broken`);
  await until('SyntaxError');
  save('scripts/contract.ts', (text) => text.replace(') // broken', ''));
  expect(await until('nothing is new')).not.toContain('ended');
  save(contract, (text) => text.replace('version:', 'verzion:'));
  expect(await until('openapi/openapi.yaml:4:3: error: ')).not.toContain('ended');
  save('src/server.ts', (text) => `${text}// changed`);
  expect(await until('started')).toContain('ended');
  dev.kill('SIGINT');
  expect(await exit).toBe(0);
  await until('ended');
});

test('what is saved in a new folder is seen, and so are the settings of the linter', async () => {
  const { copy, until, save } = startDev();
  await until('started');
  mkdirSync(join(copy, 'src/area/inner'), { recursive: true });
  writeFileSync(join(copy, 'src/area/inner/page.ts'), '');
  expect(await until('started')).toContain('ended');
  for (const round of ['first', 'second']) {
    save('src/area/inner/page.ts', (text) => `${text}// ${round}\n`);
    expect(await until('started')).toContain('ended');
  }
  save('redocly.yaml', (text) => `${text}\n  no-such-rule: error\n`);
  await until('no-such-rule');
  save('redocly.yaml', (text) => text.replace('\n  no-such-rule: error\n', ''));
  expect(await until('everything is up to date')).not.toContain('started');
});

test('the server ends with the process that started it, however that ends', async () => {
  const { dev, until } = startDev();
  await until('started');
  dev.kill('SIGKILL');
  await until('ended');
});
