/** The command line of a script: `--help` prints how it is used, a wrong option is refused in one line. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Returns what was given, or ends the process: after `--help`, and after an option that the script does not have.
 *
 * @param usage what `--help` prints; its first line is `Usage: npm run NAME …`.
 */
export function commandLine<T extends ParseArgsConfig>(usage: string, config: T) {
  const { help, ...parsed } = read(usage, config);
  if (help) {
    console.log(usage);
    process.exit(0);
  }
  return parsed;
}

function read<T extends ParseArgsConfig>(usage: string, config: T) {
  const options = { ...config.options, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const parsed = parseArgs({ ...config, options } as T);
    return { ...parsed, help: (parsed.values as { help?: boolean }).help ?? false };
  } catch (error) {
    // Node.js goes on to explain `--` in further sentences.
    const [problem] = (error as Error).message.split('. ');
    const [command] = /npm (run )?[\w-]+/.exec(usage)!;
    console.error(`${problem}. \`${command} -- --help\` says how it is used.`);
    process.exit(1);
  }
}
