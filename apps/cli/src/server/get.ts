// `portico server get`: one server, its definition included, with secrets masked.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { showFields } from '../output/describe.js';
import { circuitOf, definitionsOf, findShown, statusOf } from './shown-servers.js';

export function addServerGet(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'get <id>',
    ids: ['server'],
    summary: 'Show one server and its definition, with secrets masked',
    examples: ['server get tracker', 'server get tracker --json'],
    reach: 'state',
    async run(session, [id]) {
      const { output } = session;
      const server = await findShown(session, id);
      const definition = (await definitionsOf(session))[id];
      output.answer({ ok: true, server, definition }, () =>
        showFields(output, {
          id,
          status: statusOf(server),
          'last error': server.last_error,
          login: server.login_url,
          protocol: server.protocol_version,
          process: server.pid,
          circuit: circuitOf(server),
          restarts: server.transport === 'http' ? undefined : server.restarts,
          reconnects: server.reconnects,
          running: server.running,
          queued: server.queued,
          tools: server.tools,
          resources: server.resources,
          prompts: server.prompts,
          definition: definition && JSON.stringify(definition, null, 2),
        }),
      );
      return undefined;
    },
  });
}
