/** `npm run workflows`: lints the workflows in openapi/workflows/ and runs them, step by step, against the running service. */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './lib/command-line.ts';
import { redocly } from './lib/redocly.ts';
import { type Service, withService } from './lib/running-service.ts';

/** The part of Redocly's report of a run that is read here. */
interface Run {
  files: Record<
    string,
    { executedWorkflows: { workflowId: string; totalTimeMs: number; executedSteps: { checks: object[] }[] }[] }
  >;
}

/** The problems of the workflows, or undefined when there are none. */
async function lint(files: string[]): Promise<string | undefined> {
  const { code, stdout, stderr } = await redocly(
    'lint',
    ...files,
    '--config=openapi/workflows/redocly.yaml',
    '--lint-config=error',
  );
  return code ? stdout + stderr : undefined;
}

/** Redocly's whole report when a check of a step fails, otherwise undefined. */
async function run(files: string[], { url, tokens, faults }: Service): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'workflows-'));
  const log = join(folder, 'run.json');
  try {
    const { code, stdout, stderr } = await redocly(
      'respect',
      ...files,
      `--server=api=${url}`,
      `--input=token=${tokens.manager}`,
      `--json-output=${log}`,
    );
    if (code || faults.length > 0) return [stdout, stderr, ...faults].join('\n');
    console.log(summary(JSON.parse(readFileSync(log, 'utf8')) as Run));
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function summary({ files }: Run): string {
  return Object.entries(files)
    .flatMap(([file, { executedWorkflows }]) =>
      executedWorkflows.map(({ workflowId, executedSteps, totalTimeMs }) => {
        const checks = executedSteps.reduce((sum, step) => sum + step.checks.length, 0);
        return `✓ ${workflowId}: ${executedSteps.length} steps, ${checks} checks, ${totalTimeMs} ms (${file})`;
      }),
    )
    .join('\n');
}

commandLine(
  `Usage: npm run workflows
  Lints the workflows in openapi/workflows/ and runs them, step by step, against the service on a new database.`,
  {},
);
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const files = globSync('openapi/workflows/*.arazzo.yaml').toSorted();
const problems =
  files.length === 0
    ? 'There are no workflows.'
    : ((await lint(files)) ?? (await withService((service) => run(files, service))));
if (problems !== undefined) {
  console.error(problems);
  process.exitCode = 1;
}
