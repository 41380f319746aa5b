// `portico tail`: the last calls, and those that come; with --frames the messages between Portico and its servers.
import type { ActivityFilters, FrameFilters } from '@portico/client';
import type { RecentCall } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { UsageFailure } from '../failures.js';
import { toCount } from '../input/numbers.js';
import type { Output } from '../output/output.js';
import { callColumns } from './columns.js';
import { type Tail, tailFrames } from './tail-frames.js';

interface Options
  extends Pick<ActivityFilters, 'client' | 'capability' | 'status'>,
    Pick<FrameFilters, 'server' | 'method' | 'direction'> {
  readonly lines: number;
  readonly frames?: true;
  readonly trace?: string;
  readonly follow?: boolean;
  readonly wide?: true;
}

/** Largest number of calls that one request may ask for. */
const maxLines = 500;

export function addTail(program: Command, shell: Shell): void {
  addCommand<[], Options>(program, shell, {
    usage: 'tail',
    hasTable: true,
    summary: 'Show calls with their callers: the last ones, then new ones, until Ctrl-C',
    examples: [
      'tail',
      'tail --client claude-code --status failed',
      'tail -n 100 --no-follow',
      'tail --json | jq .client',
      'tail --frames --server github',
      "tail --frames --json --no-follow | jq '.body | fromjson'",
    ],
    flags: (command) =>
      command
        .option('--client <name>', 'of this program, as it names itself')
        .option('--capability <id>', 'of this capability')
        .option('--status <status>', 'success, failed, denied, intercepted or cancelled')
        .option('--frames', 'the JSON-RPC messages of servers in place of calls; needs inspect.enabled')
        .option('--server <id>', 'with --frames: of this server')
        .option('--trace <id>', 'with --frames: of this trace')
        .option('--method <method>', 'with --frames: of this method, such as tools/call, and answers to it')
        .option('--direction <direction>', 'with --frames: sent or received')
        .option('-n, --lines <n>', `at most this many of the earlier ones; ${maxLines} are kept`, toCount, 10)
        .option('-f, --follow', 'continue with new ones (the default)')
        .option('--no-follow', 'end after the earlier ones'),
    run: async (session, _args, options) => run(session, options),
  });
}

async function run(session: Session, options: Options): Promise<undefined> {
  const { client, capability, status, server, method, direction, trace, lines, follow, wide } = options;
  const limit = Math.min(Math.max(lines, 1), maxLines);
  const common = { lines, limit, isFollowing: follow !== false, isWide: wide === true };
  if (options.frames === true) {
    refuse({ client, capability, status }, 'is about calls: leave it out with --frames');
    return tailFrames(session, { ...common, filters: { server, method, direction, trace_id: trace } });
  }
  refuse({ server, trace, method, direction }, 'is about messages: add --frames');
  return tailCalls(session, { ...common, filters: { client, capability, status } });
}

/** @throws UsageFailure for an option that would be ignored */
function refuse(options: Readonly<Record<string, string | undefined>>, why: string): void {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined) throw new UsageFailure(`--${name} ${why}`);
}

async function tailCalls({ client, output, stopped }: Session, tail: Tail<ActivityFilters>): Promise<undefined> {
  const { filters, lines, limit, isFollowing, isWide } = tail;
  const { calls, cursor, recorded } = await client.listActivity({ ...filters, limit }, { signal: stopped });
  if (!recorded)
    output.note('no calls are shown: the audit log is off (audit.enabled is false), and calls are read from it');
  const show = showing(output, isWide);
  show(calls.slice(0, lines).reverse());
  if (!isFollowing) return;
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
