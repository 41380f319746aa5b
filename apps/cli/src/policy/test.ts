// `portico policy test`: what would become of one call, or of every case of a file. Nothing is run.
import { type AliasKind, aliasKinds, type JsonObject, type PolicyTested } from '@portico/contracts';
import { type Command, Option } from 'commander';
import { addConnectionFlags, addOfflineCommand, type Shell } from '../command.js';
import { exitCodes, UsageFailure } from '../failures.js';
import { parseObject, readArguments } from '../input/json-arguments.js';
import { showVerdict } from './show-verdict.js';
import { openTester, type PolicyTester, type TesterOptions } from './tester.js';

interface Options extends TesterOptions {
  readonly as?: string;
  readonly args?: string;
  readonly file?: string;
  readonly kind: AliasKind;
}

export function addPolicyTest(group: Command, shell: Shell): void {
  addOfflineCommand<[string | undefined, string[]], Options>(group, shell, {
    usage: 'test [id] [args...]',
    ids: ['capability'],
    summary: 'Show the verdict on a call, and the rule that decides; nothing is run',
    examples: [
      'policy test memory.delete_entities',
      'policy test memory.delete_entities entityNames:=\'["Ada"]\' --as agent',
      'policy test memory.read_graph --offline --config mcp_servers.json',
      'policy test --file policy.tests.json --offline',
    ],
    flags: (command) =>
      addConnectionFlags(command)
        .option('--as <role>', 'asked by a holder of this role (default: the operator)')
        .option('--args <json>', 'the arguments as one JSON object, in place of name=value')
        .addOption(new Option('--kind <kind>', 'what the id names').choices([...aliasKinds]).default('tool'))
        .option('--file <file>', 'test every case of a file instead; - reads stdin')
        .option('--offline', 'read the configuration file itself; no daemon is asked or needed')
        .addHelpText('after', exitCodeHelp),
    async run(output, [id, words], options, stopped) {
      checkUsage(id, words, options);
      const tester = await openTester(options, stopped);
      try {
        if (tester.gap !== undefined) output.note(tester.gap);
        if (options.file !== undefined) {
          const { testFile } = await import('./test-file.js');
          return await testFile(output, tester, options.file, stopped);
        }
        const args = await argumentsOf(tester, id ?? '', words, options, stopped);
        const { as: role = null, profile = null, kind } = options;
        const tested = await tester.test({ id: id ?? '', kind, role, profile, args });
        output.answer(tested, () => showVerdict(output, tested, role, profile));
        return exitCodeOf(tested);
      } finally {
        await tester.close();
      }
    },
  });
}

const exitCodeHelp = `
Exit codes: 0 it would run, 10 a person would decide, 11 it would be refused or not be found, 12 its arguments do not
fit the schema. With --file: 0 where every case holds, 1 where one does not, 2 for a file that cannot be used.`;

/** @throws UsageFailure */
function checkUsage(
  id: string | undefined,
  words: readonly string[],
  { file, args, as: role, profile }: Options,
): void {
  if (file === undefined && id === undefined)
    throw new UsageFailure('name a capability, or a file of cases with --file');
  if (file !== undefined && [id, args, role, profile].some((given) => given !== undefined))
    throw new UsageFailure('--file has ids, arguments, roles and profiles of its own: leave the others out');
  if (args !== undefined && words.length > 0)
    throw new UsageFailure('give the arguments as --args JSON or as name=value, not as both');
}

async function argumentsOf(
  tester: PolicyTester,
  id: string,
  words: readonly string[],
  { args, kind }: Options,
  stopped: AbortSignal,
): Promise<JsonObject | undefined> {
  if (args !== undefined) return parseObject(args, '--args');
  if (words.length === 0) return undefined;
  return readArguments(words, undefined, stopped, async () => (kind === 'tool' ? tester.inputSchemaOf(id) : undefined));
}

function exitCodeOf({ effect, arguments: args }: PolicyTested): number {
  if (effect === 'denied' || effect === 'not_found') return exitCodes.refused;
  if (args?.fits === 'no') return exitCodes.unfit;
  return effect === 'waits_for_approval' ? exitCodes.held : exitCodes.ok;
}
