// `portico audit stats`: counts over all records.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { count } from '../output/describe.js';
import { requireKeptLog } from './kept-log.js';

type Row = readonly [string, number];

export function addAuditStats(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'stats',
    hasTable: true,
    summary: 'Count records by status, type and capability',
    examples: ['audit stats', 'audit stats --json'],
    reach: 'state',
    async run(session) {
      const { client, output } = session;
      await requireKeptLog(session);
      const answer = await client.getAuditStats();
      const table = (heading: string, rows: readonly Row[]) =>
        output.table(
          [
            { heading, cell: ([name]: Row) => name },
            { heading: 'RECORDS', cell: ([, n]: Row) => n },
          ],
          rows,
          'none',
        );
      output.answer(answer, () => {
        output.line(count(answer.total_events, 'record'));
        table('STATUS', Object.entries(answer.by_status));
        table('TYPE', Object.entries(answer.by_event_type));
        table(
          'CAPABILITY',
          answer.by_capability.map(({ capability_id, count: n }) => [capability_id, n]),
        );
      });
      return undefined;
    },
  });
}
