// `portico policy rules`: every rule with what it matches now and how often it was met.
import type { PolicyRuleInfo } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

interface Options {
  readonly shadow?: true;
}

export function addPolicyRules(group: Command, shell: Shell): void {
  addCommand<[], Options>(group, shell, {
    usage: 'rules',
    hasTable: true,
    summary: 'List the rules, what each matches now, and how often it was met since the start',
    examples: ['policy rules', 'policy rules --shadow', 'policy rules --json'],
    flags: (command) => command.option('--shadow', 'only rules on trial'),
    reach: 'state',
    async run({ client, output }, _args, { shadow }) {
      const answer = await client.listPolicyRules();
      const rules = answer.rules.filter(({ mode }) => shadow !== true || mode === 'shadow');
      type Row = PolicyRuleInfo;
      const columns = [
        {
          heading: 'RULE',
          cell: ({ id, pattern, when }: Row) => (id === undefined ? pattern : `${id}: ${pattern} when ${when}`),
        },
        { heading: 'LIST', cell: ({ list }: Row) => list, isId: true },
        { heading: 'MODE', cell: ({ mode }: Row) => mode, value: 5 },
        { heading: 'MATCHES', cell: ({ matches }: Row) => matches ?? 'not counted', value: 3 },
        { heading: 'HITS', cell: ({ hits }: Row) => hits ?? '-', value: 4 },
        { heading: 'LAST HIT', time: ({ last_hit }: Row) => last_hit ?? undefined, value: 2 },
        { heading: 'WRITTEN AT', cell: ({ path }: Row) => path, value: 1 },
      ];
      output.answer({ ...answer, rules }, () => output.table(columns, rules, 'no rules'));
      if (answer.total > answer.rules.length)
        output.note(`${answer.total} rules are configured; the first ${answer.rules.length} are listed`);
      return undefined;
    },
  });
}
