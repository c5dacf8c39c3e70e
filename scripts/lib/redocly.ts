/**
 * Runs the redocly command line inside this process. The package offers no JavaScript interface, and a new process
 * for each command spends more time on loading than on the contract.
 */

/** How a command ended, and what it printed. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

Object.assign(process.env, { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' });
const cli = import.meta.resolve('@redocly/cli/lib/index.js');
let runs = 0;
let last: Promise<unknown> = Promise.resolve();

/** Runs one command; those given meanwhile wait for their turn. */
export function redocly(...parameters: string[]): Promise<Ran> {
  const ran = last.then(() => run(parameters));
  last = ran.catch(() => {});
  return ran;
}

async function run(parameters: string[]): Promise<Ran> {
  const { argv, exit, stdout, stderr } = process;
  const printed = { stdout: '', stderr: '' };
  const { write: writeOut } = stdout;
  const { write: writeError } = stderr;
  try {
    process.argv = [process.execPath, 'redocly', ...parameters];
    stdout.write = (text: unknown) => ((printed.stdout += text), true);
    stderr.write = (text: unknown) => ((printed.stderr += text), true);
    return { code: await ended(), ...printed };
  } finally {
    Object.assign(process, { argv, exit });
    Object.assign(stdout, { write: writeOut });
    Object.assign(stderr, { write: writeError });
  }
}

/**
 * The exit code of the command in `process.argv`. The command line runs when its main module is evaluated, hence a
 * new URL each time; the modules behind it stay loaded. When it is done (2.77) it waits for `beforeExit` to exit.
 * Each run leaves about 1 MB behind, which `npm run dev` bears: it starts a new process when this one is gone.
 */
function ended(): Promise<number> {
  return new Promise((resolve, reject) => {
    process.exit = ((code: number) => resolve(code)) as never;
    process.on('newListener', function done(name, exit: () => void) {
      if (name !== 'beforeExit') return;
      process.off('newListener', done);
      setImmediate(() => {
        process.off(name, exit);
        exit();
      });
    });
    import(`${cli}?run=${runs++}`).catch(reject);
  });
}
