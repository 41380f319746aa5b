// `portico config profile`: views of some of the servers.
import type { Command } from 'commander';
import { addCommand, addGroup, type Shell } from '../command.js';

export function addProfile(config: Command, shell: Shell): void {
  const group = addGroup(config, 'profile', 'Views of some of the servers');
  addList(group, shell);
  addSet(group, shell);
  addRemove(group, shell);
}

function addList(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List profiles',
    examples: ['config profile list'],
    reach: 'state',
    async run({ client, output }) {
      const { profiles } = await client.getConfig();
      type Row = [string, (typeof profiles)[string]];
      const columns = [
        { heading: 'ID', cell: ([id]: Row) => id },
        { heading: 'SERVERS', cell: ([, { servers }]: Row) => servers.join(', ') },
        { heading: 'DESCRIPTION', cell: ([, { description }]: Row) => description },
      ];
      output.answer({ ok: true, profiles }, () => output.table(columns, Object.entries(profiles), 'no profiles'));
      return undefined;
    },
  });
}

function addSet(group: Command, shell: Shell): void {
  addCommand<[string, string[]], { readonly description?: string }>(group, shell, {
    usage: 'set <id> <servers...>',
    ids: ['profile', 'server'],
    summary: 'Add a profile, or replace the servers of one',
    examples: ['config profile set reading files notes --description "Only what reads"'],
    flags: (command) => command.option('--description <text>', 'purpose of the profile'),
    reach: 'state',
    async run({ client, output }, [name, servers], { description }) {
      const answer = await client.putProfile({ name, servers: [...servers], description: description ?? null });
      output.answer(answer, () => output.line(`${name}: ${answer.servers.join(', ')}`));
      return undefined;
    },
  });
}

function addRemove(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'remove <id>',
    ids: ['profile'],
    summary: 'Remove a profile',
    examples: ['config profile remove reading'],
    reach: 'state',
    async run({ client, output }, [id]) {
      const answer = await client.deleteProfile(id);
      output.answer(answer, () => output.line(`${id}: removed`));
      return undefined;
    },
  });
}
