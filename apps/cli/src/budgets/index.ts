// Budgets: how far they are used, and emptying them.
import type { Answers } from '@portico/client';
import type { Command } from 'commander';
import { addCommand, addGroup, type Shell } from '../command.js';

type Budget = Answers['listBudgets']['budgets'][number];

interface Row {
  readonly id: string;
  readonly scope: string;
  readonly measure: string;
  readonly used: string;
  readonly limit: string;
  readonly ratio: string;
  readonly resets: string;
}

export function addBudgets(program: Command, shell: Shell): void {
  const group = addGroup(program, 'budgets', 'See how far budgets are used, and empty them');
  addList(group, shell);
  addReset(group, shell);
}

function addList(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'list',
    reach: 'state',
    hasTable: true,
    summary: 'List the budgets with what is used of each limit',
    examples: ['budgets list', 'budgets list --json'],
    async run({ client, output }) {
      const answer = await client.listBudgets();
      const columns = [
        { heading: 'BUDGET', cell: ({ id }: Row) => id, isId: true },
        { heading: 'OF', cell: ({ scope }: Row) => scope, value: 3 },
        { heading: 'MEASURE', cell: ({ measure }: Row) => measure, value: 2 },
        { heading: 'USED', cell: ({ used }: Row) => used, value: 4 },
        { heading: 'LIMIT', cell: ({ limit }: Row) => limit, value: 4 },
        { heading: '%', cell: ({ ratio }: Row) => ratio, value: 3 },
        { heading: 'EMPTY AGAIN', cell: ({ resets }: Row) => resets, value: 1 },
      ];
      output.answer(answer, () => {
        output.table(
          columns,
          answer.budgets.flatMap(rowsOf),
          'no budgets; the field budgets of the configuration has them',
        );
        if (answer.budgets.some(({ limits }) => limits.result_tokens !== undefined))
          output.note(`tokens are estimated: ${answer.token_estimate}`);
        if (!answer.is_complete) output.note('there are more accounts than are listed');
      });
      return undefined;
    },
  });
}

/** A row for each limit of each account; a budget that no call has used yet has empty ones. */
function rowsOf({ id, by, limits, accounts }: Budget): Row[] {
  const unused = { scope: '', used: {} as Budget['limits'], resets_at: null };
  const shown = accounts.length === 0 ? [unused] : accounts;
  return shown.flatMap(({ scope, used, resets_at }) =>
    Object.entries(limits).map(([measure, limit = 0]): Row => {
      const amount = used[measure as keyof typeof used] ?? 0; // a measure of its limits
      return {
        id,
        scope: scope === '' ? (by === 'global' ? 'all' : `each ${by}`) : scope,
        measure,
        used: String(amount),
        limit: String(limit),
        ratio: String(Math.floor((amount / limit) * 100)),
        resets: resets_at ?? '',
      };
    }),
  );
}

function addReset(group: Command, shell: Shell): void {
  addCommand<[string], { scope?: string }>(group, shell, {
    usage: 'reset <id>',
    ids: ['budget'],
    reach: 'state',
    summary: 'Empty the accounts of a budget, or one of them',
    examples: ['budgets reset night-agent', 'budgets reset per-agent --scope ada'],
    flags: (command) => command.option('--scope <name>', 'only the account of this actor, client, …'),
    async run({ client, output }, [id], { scope }) {
      const answer = await client.resetBudget(id, { scope: scope ?? null });
      output.answer(answer, () =>
        output.line(`${id}: ${answer.reset} ${answer.reset === 1 ? 'account' : 'accounts'} emptied`),
      );
      return undefined;
    },
  });
}
