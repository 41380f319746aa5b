// The receivers of notices of tickets, and a test message to them.
import type { Answers } from '@portico/client';
import type { Command } from 'commander';
import { addCommand, addGroup, type Shell } from '../command.js';

type Standing = Answers['listNotices']['receivers'][number];
type Trial = Answers['testNotices']['trials'][number];

export function addNotices(program: Command, shell: Shell): void {
  const group = addGroup(program, 'notices', 'See who gets notices of approvals, and test them');
  addList(group, shell);
  addTest(group, shell);
}

function addList(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List the receivers of approvals.notices, and how deliveries went',
    examples: ['notices list', 'notices list --json'],
    async run({ client, output }) {
      const answer = await client.listNotices();
      const columns = [
        { heading: 'NAME', cell: ({ name }: Standing) => name, isId: true },
        { heading: 'FORMAT', cell: ({ format }: Standing) => format, value: 2 },
        { heading: 'SERVICE', cell: ({ origin }: Standing) => origin, value: 1 },
        { heading: 'DELIVERED', cell: ({ delivered }: Standing) => String(delivered), value: 3 },
        { heading: 'FAILED', cell: ({ failed }: Standing) => String(failed), value: 3 },
        { heading: 'LAST ERROR', cell: ({ last_error }: Standing) => last_error ?? '' },
      ];
      output.answer(answer, () => {
        output.table(columns, answer.receivers, 'no receivers; approvals.notices of the configuration names them');
        output.note(`links lead to ${answer.link_base ?? 'nowhere: no console is served'}`);
      });
      return undefined;
    },
  });
}

function addTest(group: Command, shell: Shell): void {
  addCommand<[string | undefined]>(group, shell, {
    usage: 'test [name]',
    hasTable: true,
    summary: 'Send a test message to one receiver or to all, and show what each service answered',
    examples: ['notices test', 'notices test phone'],
    async run({ client, output }, [name]) {
      const answer = await client.testNotices({ name: name ?? null });
      const columns = [
        { heading: 'NAME', cell: (trial: Trial) => trial.name, isId: true },
        { heading: 'RESULT', cell: ({ delivered }: Trial) => (delivered ? 'delivered' : 'failed'), value: 3 },
        { heading: 'STATUS', cell: ({ status }: Trial) => (status === null ? '' : String(status)), value: 2 },
        { heading: 'ANSWER', cell: ({ message }: Trial) => message },
      ];
      const none = 'no receivers; approvals.notices of the configuration names them';
      output.answer(answer, () => output.table(columns, answer.trials, none));
      return answer.trials.every(({ delivered }) => delivered) ? undefined : 1;
    },
  });
}
