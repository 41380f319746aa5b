// `portico tail`: the last calls, and those that come.
import type { ActivityFilters } from '@portico/client';
import type { RecentCall } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { toCount } from '../input/numbers.js';
import type { Output } from '../output/output.js';
import { callColumns } from './columns.js';

interface Options extends Pick<ActivityFilters, 'client' | 'capability' | 'status'> {
  readonly lines: number;
  readonly follow?: boolean;
  readonly wide?: true;
}

/** What one request for the last calls may ask for. */
const maxLines = 500;

export function addTail(program: Command, shell: Shell): void {
  addCommand<[], Options>(program, shell, {
    usage: 'tail',
    hasTable: true,
    summary: 'Show who called what: the last calls, and then those that come, until Ctrl-C',
    examples: [
      'tail',
      'tail --client claude-code --status failed',
      'tail -n 100 --no-follow',
      'tail --json | jq .client',
    ],
    flags: (command) =>
      command
        .option('--client <name>', 'of this program, as it names itself')
        .option('--capability <id>', 'of this capability')
        .option('--status <status>', 'success, failed, denied, intercepted or cancelled')
        .option('-n, --lines <n>', `of the calls that were, at most so many; ${maxLines} are kept`, toCount, 10)
        .option('-f, --follow', 'go on with the calls that come (the default)')
        .option('--no-follow', 'end after the calls that were'),
    run: async (session, _args, options) => run(session, options),
  });
}

async function run({ client, output, stopped }: Session, options: Options): Promise<undefined> {
  const { capability, status, lines, follow, wide } = options;
  const filters: ActivityFilters = { client: options.client, capability, status };
  const limit = Math.min(Math.max(lines, 1), maxLines);
  const { calls, cursor, recorded } = await client.listActivity({ ...filters, limit }, { signal: stopped });
  if (!recorded)
    output.note('no calls are shown: the audit log is off (audit.enabled is false), and calls are read from it');
  const show = showing(output, wide === true);
  show(calls.slice(0, lines).reverse());
  if (follow === false) return;
  for await (const message of client.streamActivity(filters, { signal: stopped, lastEventId: cursor })) {
    if (message.event === 'call') show([message.data]);
    else output.note(`at most ${message.data.count} calls are left out here; portico audit events has them`);
  }
}

function showing(output: Output, isWide: boolean): (calls: readonly RecentCall[]) => void {
  if (output.isJson) {
    return (calls) => {
      for (const call of calls) output.item(call, () => call.id);
    };
  }
  return output.growingTable(callColumns(isWide || !output.isTerminal, Date.now()));
}
