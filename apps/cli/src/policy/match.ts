// `portico policy match`: what a pattern matches, and what adding it would do, also to calls that were made already.
import type { PolicyPreviewed, RuleListName } from '@portico/contracts';
import { type Command, Option } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { toStart } from '../input/time-words.js';
import { count } from '../output/describe.js';
import type { Output } from '../output/output.js';

const lists: Readonly<Record<string, RuleListName>> = {
  deny: 'deny',
  allow: 'allow',
  'require-approval': 'require_approval',
};

interface Options {
  readonly list: string;
  readonly as?: string;
  readonly since?: string;
  readonly profile?: string;
}

export function addPolicyMatch(group: Command, shell: Shell): void {
  addCommand<[string], Options>(group, shell, {
    usage: 'match <pattern>',
    hasTable: true,
    summary: 'Show what a pattern matches, and what a rule of it would change; nothing is written',
    examples: ['policy match "memory.delete_*"', 'policy match "memory.*" --list require-approval --since yesterday'],
    flags: (command) =>
      command
        .addOption(new Option('--list <list>', 'the list it is for').choices(Object.keys(lists)).default('deny'))
        .option('--as <role>', 'compare verdicts for a holder of this role (default: the operator)')
        .option(
          '--since <time>',
          'compare the calls of the audit log from then on: yesterday, 7d, RFC 3339, …',
          toStart,
        ),
    reach: 'state',
    async run({ client, output }, [pattern], { list, as: role = null, since = null, profile = null }) {
      const request = { pattern, list: lists[list] ?? 'deny', role, profile, since };
      const answer = await client.previewPolicy(request);
      output.answer(answer, () => show(output, pattern, answer));
      return undefined;
    },
  });
}

function show(output: Output, pattern: string, { matches, changed, past, complete }: PolicyPreviewed): void {
  const { total = 0, items = [] } = matches ?? {};
  output.line(`"${pattern}" matches ${total === 0 ? 'nothing that is listed' : kindsOf(items, total)}`);
  showList(
    output,
    items.map(({ id }) => id),
    total,
  );
  output.line(changed.total === 0 ? 'no verdict would change' : `${count(changed.total, 'verdict')} would change`);
  showList(
    output,
    changed.items.map(({ id, from, to }) => `${id}: ${from} -> ${to}`),
    changed.total,
  );
  if (!complete) output.note('the catalog is too large: its first 20,000 things were looked at');
  if (past !== null) showPast(output, past);
}

/** `4 tools, 1 prompt` if the list is complete. */
function kindsOf(items: NonNullable<PolicyPreviewed['matches']>['items'], total: number): string {
  if (items.length < total) return `${total} tools, resources and prompts`;
  const kinds = ['tool', 'resource', 'prompt'].map((kind) => [items.filter((each) => each.kind === kind).length, kind]);
  return kinds
    .filter(([n]) => n !== 0)
    .map(([n, kind]) => count(Number(n), String(kind)))
    .join(', ');
}

function showList(output: Output, lines: readonly string[], total: number): void {
  for (const line of lines) output.line(`  ${line}`);
  if (lines.length < total) output.line(`  and ${total - lines.length} more`);
}

function showPast(output: Output, past: NonNullable<PolicyPreviewed['past']>): void {
  const { calls, changed, records, complete, durable, undetermined, since, oldest } = past;
  const sum = changed.items.reduce((all, each) => all + each.calls, 0);
  output.line(`of ${count(calls, 'call')} since ${output.time(since)}, ${sum} would have met another verdict`);
  type Row = (typeof changed.items)[number];
  const columns = [
    { heading: 'CAPABILITY', cell: ({ id }: Row) => id },
    { heading: 'CALLS', cell: (row: Row) => row.calls },
    { heading: 'NOW', cell: ({ from }: Row) => from },
    { heading: 'THEN', cell: ({ to }: Row) => to },
    { heading: 'ROLE', cell: ({ role }: Row) => role, value: 1 },
    { heading: 'LAST', cell: ({ last }: Row) => last.id, isId: true },
  ];
  if (changed.total > 0) output.table(columns, changed.items, '');
  const covered = complete ? 'all' : `the newest, back to ${output.time(oldest)},`;
  output.line(
    `${count(records, 'record')} read: ${covered} of the log in that time${durable ? '' : ', which is in memory'}`,
  );
  if (undetermined > 0) output.note(`${count(undetermined, 'call')} of redacted addresses could not be judged`);
}
