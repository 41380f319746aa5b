// `portico server list`: how the servers are doing.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { circuitOf, listShown, type ShownServer, statusOf } from './shown-servers.js';

export function addServerList(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List servers with their status',
    examples: ['server list', 'server list --json'],
    reach: 'state',
    async run(session) {
      const servers = await listShown(session);
      const columns = [
        { heading: 'ID', cell: ({ id }: ShownServer) => id },
        { heading: 'STATUS', cell: statusOf },
        { heading: 'TRANSPORT', cell: ({ transport }: ShownServer) => transport, value: 3 },
        { heading: 'CIRCUIT', cell: circuitOf, value: 5 },
        { heading: 'TOOLS', cell: ({ tools }: ShownServer) => tools, value: 4 },
        { heading: 'RESOURCES', cell: ({ resources }: ShownServer) => resources, value: 2 },
        { heading: 'PROMPTS', cell: ({ prompts }: ShownServer) => prompts, value: 1 },
        {
          heading: 'LAST ERROR',
          cell: ({ last_error, login_url }: ShownServer) => (login_url ? 'waits for a login' : last_error),
        },
      ];
      session.output.answer({ ok: true, servers }, () => session.output.table(columns, servers, 'no servers'));
      return undefined;
    },
  });
}
