// `portico list`: the compact catalog.
import { Argument, type Command } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';

type Kind = 'capabilities' | 'resources' | 'prompts';

export function addList(program: Command, shell: Shell): void {
  addCommand<[Kind]>(program, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List capabilities (tools), resources or prompts',
    examples: ['list', 'list resources', 'list prompts --json', 'list --profile reading'],
    flags: (command) =>
      command.addArgument(
        new Argument('[kind]', 'what to list')
          .choices(['capabilities', 'resources', 'prompts'])
          .default('capabilities'),
      ),
    run: async (session, [kind]) => lists[kind](session),
  });
}

const lists: Readonly<Record<Kind, (session: Session) => Promise<undefined>>> = {
  async capabilities({ client, output }) {
    const answer = await client.listCapabilities();
    const columns = [
      { heading: 'ID', cell: ({ id }: { id: string }) => id },
      { heading: 'SUMMARY', cell: ({ summary }: { summary: string }) => summary },
    ];
    output.answer(answer, () => output.table(columns, answer.capabilities, 'no capabilities'));
    return undefined;
  },
  async resources({ client, output }) {
    const answer = await client.listResources();
    type Item = (typeof answer.resources)[number];
    const columns = [
      { heading: 'ID', cell: ({ id }: Item) => id },
      { heading: 'NAME', cell: ({ name }: Item) => name, value: 2 },
      { heading: 'TYPE', cell: ({ mime_type }: Item) => mime_type, value: 1 },
      { heading: 'DESCRIPTION', cell: ({ description }: Item) => description },
    ];
    output.answer(answer, () => output.table(columns, answer.resources, 'no resources'));
    return undefined;
  },
  async prompts({ client, output }) {
    const answer = await client.listPrompts();
    type Item = (typeof answer.prompts)[number];
    const columns = [
      { heading: 'ID', cell: ({ id }: Item) => id },
      { heading: 'ARGUMENTS', cell: (item: Item) => item.arguments.map(({ name }) => String(name)).join(', ') },
      { heading: 'DESCRIPTION', cell: ({ description, title }: Item) => description ?? title },
    ];
    output.answer(answer, () => output.table(columns, answer.prompts, 'no prompts'));
    return undefined;
  },
};
