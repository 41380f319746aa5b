// `portico doctor`: looks at the whole set-up and says what is wrong with it, and what to do next.
import { suggestion } from '@portico/contracts';
import type { Command } from 'commander';
import { addConnectionFlags, addOfflineCommand, type CommonOptions, type Shell } from './command.js';
import { connectTo, findAddress } from './connection.js';
import { namedConfigFile } from './connection-options.js';
import { isProblemCode, problemCodes } from './doctor/pages.js';
import { UsageFailure } from './failures.js';
import { wantsColor } from './output/output.js';

interface Options extends CommonOptions {
  readonly offline?: true;
  readonly explain?: string;
}

const limitMs = 20_000;

/** Exits with 0 when nothing is in the way, 1 when problems were found, 2 for a code that there is not. */
export function addDoctor(program: Command, shell: Shell): void {
  addOfflineCommand<[], Options>(program, shell, {
    usage: 'doctor',
    summary: 'Check the set-up and report the problems with their fixes',
    examples: ['doctor', 'doctor --offline --json', 'doctor --explain port-taken'],
    flags: (command) =>
      addConnectionFlags(command)
        .option('--offline', 'do not start or contact any server')
        .option('--explain <code>', 'explain a code: its meaning, its cause and the fix'),
    run: async (_output, _args, options) => run(options),
  });
}

async function run(options: Options): Promise<number> {
  const { explain: code, stateDir, offline } = options;
  if (code !== undefined) return explainCode(code);
  const { examine } = await import('./doctor/examine.js');
  const { exitCodeOf, toJson, toReport } = await import('./doctor/findings.js');
  const findings = await examine({
    configFile: namedConfigFile(options),
    stateDir,
    offline: offline === true,
    env: process.env,
    limitMs,
    async findDaemon(port) {
      return (await findAddress(options)) ?? (port === 0 ? undefined : `http://127.0.0.1:${port}`);
    },
    connect: async (url) => (await connectTo(url, options)).client,
  });
  const hasColour = wantsColor(process.stdout, process.env);
  process.stdout.write(options.json === true ? toJson(findings) : toReport(findings, hasColour));
  return exitCodeOf(findings);
}

async function explainCode(code: string): Promise<number> {
  if (!isProblemCode(code))
    throw new UsageFailure(`no problem has the code "${code}"; ${suggestion(code, problemCodes)}`);
  const { explain } = await import('./doctor/explain.js');
  process.stdout.write(explain(code));
  return 0;
}
