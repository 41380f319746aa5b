// `portico audit stats`: counts over all records.
import { type Command, Option } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { count } from '../output/describe.js';
import { requireKeptLog } from './kept-log.js';

type Row = readonly [string, number];
type Answer = Awaited<ReturnType<Session['client']['getAuditStats']>>;

/** The fields that records can be counted by, with the heading of each count. */
const kinds = {
  status: ({ by_status }: Answer) => Object.entries(by_status),
  type: ({ by_event_type }: Answer) => Object.entries(by_event_type),
  capability: ({ by_capability }: Answer) =>
    by_capability.map(({ capability_id, count: n }): Row => [capability_id, n]),
  client: ({ by_client }: Answer) => by_client.map(({ client, count: n }): Row => [client, n]),
  channel: ({ by_channel }: Answer) => Object.entries(by_channel),
} as const;

type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as Kind[]; // of the literal above

interface StatsOptions {
  readonly by?: Kind;
}

export function addAuditStats(group: Command, shell: Shell): void {
  addCommand<[], StatsOptions>(group, shell, {
    usage: 'stats',
    hasTable: true,
    summary: 'Count records by status, type, capability, client and channel',
    examples: ['audit stats', 'audit stats --by client', 'audit stats --json'],
    flags: (command) => command.addOption(new Option('--by <WHAT>', 'show only these counts').choices(kindNames)),
    reach: 'state',
    async run(session, _args, { by }) {
      const { client, output } = session;
      await requireKeptLog(session);
      const answer = await client.getAuditStats();
      output.answer(answer, () => {
        output.line(count(answer.total_events, 'record'));
        for (const kind of by === undefined ? kindNames : [by]) showCounts(output, kind, kinds[kind](answer));
      });
      return undefined;
    },
  });
}

function showCounts(output: Session['output'], kind: Kind, rows: readonly Row[]): void {
  const columns = [
    { heading: kind.toUpperCase(), cell: ([name]: Row) => name, isId: kind === 'capability' || kind === 'client' },
    { heading: 'RECORDS', cell: ([, n]: Row) => n },
  ];
  output.table(columns, rows, 'none');
}
