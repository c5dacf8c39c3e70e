/**
 * Runs Redocly's command line as a process. Redocly has a JavaScript API for lint and bundle only (@redocly/openapi-core,
 * a second linter with its own version and 13 packages), none for diff and respect; one way for all is smaller.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How a command ended, and what it printed. */
export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** The file with which the contract begins, from the root of the repository. */
export const contract = 'openapi/openapi.yaml';

const commandLine = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));
const settings = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };

/**
 * Runs one command, such as `lint openapi.yaml`. Several may run at the same time.
 *
 * @throws when the process cannot be started. A command that fails returns its exit code.
 */
export function redocly(...parameters: string[]): Promise<Result> {
  // FORCE_COLOR of a caller wins over NO_COLOR, so it is removed.
  const env = { ...process.env, ...settings, FORCE_COLOR: undefined };
  return new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      [commandLine, ...parameters],
      // The default limit of 1 MB is too small for a large contract.
      { env, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') reject(error);
        else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
      },
    ),
  );
}

/** The contract cannot be bundled; the message says where and why. */
export class BrokenContract extends Error {}

/**
 * The contract in openapi/ as one document. The working directory is the root of the repository.
 *
 * @throws BrokenContract
 */
export async function bundle(extension: 'json' | 'yaml'): Promise<string> {
  const { code, stdout, stderr } = await redocly('bundle', contract, `--ext=${extension}`);
  if (code) throw new BrokenContract(stderr.trim());
  return extension === 'json' ? `${stdout.trimEnd()}\n` : stdout;
}
