// `portico batch`: several calls in a row, later ones fed from earlier ones.
import type { Bodies } from '@portico/client';
import { exactJson } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { exitCodes, UsageFailure } from '../failures.js';
import { parseValue } from '../input/json-arguments.js';
import { readText } from '../input/read-text.js';
import { isObject } from '../is-object.js';

interface Options {
  readonly key?: string;
}

export function addBatch(program: Command, shell: Shell): void {
  addCommand<[string], Options>(program, shell, {
    usage: 'batch <file>',
    hasTable: true,
    summary: 'Run calls one after the other: a JSON file of steps, - reads stdin',
    examples: [
      'batch steps.json',
      'batch steps.json --key nightly-1 --json',
      'batch - < steps.json   # [{"id": "a", "capability_id": "s.t", "args": {"x": "$b.name"}}, …]',
    ],
    flags: (command) => command.option('--key <key>', 'idempotency key of the whole batch'),
    async run({ client, output, stopped }, [file], { key }) {
      const body = toBody(parseValue(await readText(file, stopped), file), file);
      const clear = output.progress('running the batch');
      const answer = await client.callBatch(body, { idempotencyKey: key }).finally(clear);
      type Result = (typeof answer.results)[number];
      const columns = [
        { heading: 'STEP', cell: ({ id }: Result) => id },
        { heading: 'CAPABILITY', cell: ({ capability_id }: Result) => capability_id, isId: true, value: 2 },
        { heading: 'OK', cell: ({ ok }: Result) => (ok ? 'yes' : 'no') },
        { heading: 'MS', cell: ({ duration_us }: Result) => (duration_us / 1000).toFixed(1), value: 1 },
        { heading: 'RESULT', cell: ({ error, data }: Result) => error ?? exactJson(data) },
      ];
      output.answer(answer, () => output.table(columns, answer.results, 'no step'));
      if (answer.ok) return exitCodes.ok;
      const failed = answer.results.find(({ ok }) => !ok);
      output.note(failed === undefined ? 'not every step ran' : `step ${failed.id}: ${failed.error}`);
      return exitCodes.failed;
    },
  });
}

/** A bare list is taken for the steps; the service checks what is in it. */
function toBody(value: ReturnType<typeof parseValue>, file: string): Bodies['callBatch'] {
  const body = Array.isArray(value) ? { steps: value } : value;
  if (!isObject(body)) throw new UsageFailure(`${file}: expected a list of steps, or {"steps": […]}`);
  return body as Bodies['callBatch'];
}
