// Outcomes that are kept under their idempotency keys.
import type { Command } from 'commander';
import { addCommand, addGroup, type Shell } from '../command.js';
import { addPageFlags, type PageOptions } from '../input/page.js';
import { showFields } from '../output/describe.js';

export function addIdempotency(program: Command, shell: Shell): void {
  const group = addGroup(program, 'idempotency', 'Outcomes that are kept under their idempotency keys');
  addList(group, shell);
  addShow(group, shell);
}

function addList(group: Command, shell: Shell): void {
  addCommand<[], PageOptions>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List records, newest first',
    examples: ['idempotency list --limit 5', 'idempotency list --json'],
    flags: addPageFlags,
    reach: 'state',
    async run({ client, output }, _args, { limit, offset }) {
      const answer = await client.listIdempotencyRecords({ limit, offset });
      type Record = (typeof answer.records)[number];
      const columns = [
        { heading: 'KEY', cell: ({ key }: Record) => key },
        { heading: 'CAPABILITY', cell: ({ capability_id }: Record) => capability_id, isId: true, value: 4 },
        { heading: 'OUTCOME', cell: outcomeOf, value: 3 },
        { heading: 'REPLAYS', cell: ({ replay_count }: Record) => replay_count, value: 1 },
        { heading: 'CREATED', time: ({ created_at_epoch_secs }: Record) => created_at_epoch_secs, value: 2 },
      ];
      output.answer(answer, () => output.table(columns, answer.records, 'no records'));
      return undefined;
    },
  });
}

function addShow(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'show <key>',
    ids: ['idempotency'],
    summary: 'Show one record with the stored answer',
    examples: ['idempotency show import-1'],
    reach: 'state',
    async run({ client, output }, [key]) {
      const answer = await client.getIdempotencyRecord(key);
      const { record } = answer;
      output.answer(answer, () =>
        showFields(output, {
          key: record.key,
          capability: record.capability_id,
          outcome: outcomeOf(record),
          created: output.time(record.created_at_epoch_secs),
          completed: output.time(record.completed_at_epoch_secs),
          replays: record.replay_count,
          trace: record.first_trace_id,
          answer: JSON.stringify(record.response, null, 2),
        }),
      );
      return undefined;
    },
  });
}

interface Kept {
  readonly completed_at_epoch_secs: number | null;
  readonly response: { readonly [name: string]: unknown };
}

function outcomeOf({ completed_at_epoch_secs, response }: Kept): string {
  if (completed_at_epoch_secs === null) return 'running';
  return response.ok === true ? 'ok' : 'failed';
}
