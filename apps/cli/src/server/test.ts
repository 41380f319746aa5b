// `portico server test`: whether a server can be reached. Without a daemon the servers are started, and ended again.
import type { Command } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { exitCodes } from '../failures.js';
import { toPositive } from '../input/numbers.js';
import { count } from '../output/describe.js';
import { findServer } from './shown-servers.js';

const betweenLooksMs = 100;

export function addServerTest(group: Command, shell: Shell): void {
  addCommand<[string], { readonly timeout?: number }>(group, shell, {
    usage: 'test <id>',
    ids: ['server'],
    summary: 'Check that a server connects, and list its capabilities; without a daemon, it starts the servers itself',
    examples: ['server test files', 'server test tracker --timeout 30 --json'],
    flags: (command) => command.option('--timeout <seconds>', 'wait this long for it (default: 15)', toPositive),
    reach: 'servers',
    async run(session, [id], { timeout = 15 }) {
      const { output, url } = session;
      await findServer(session, id);
      const clear = output.progress(`waiting for ${id}`);
      const server = await settled(session, id, timeout * 1000).finally(clear);
      const isConnected = server.status === 'connected';
      output.answer({ ok: isConnected, server }, () => {
        const has = [count(server.tools, 'tool'), count(server.resources, 'resource'), count(server.prompts, 'prompt')];
        if (isConnected) output.line(`${id}: connected, MCP ${server.protocol_version}, ${has.join(', ')}`);
      });
      if (isConnected) return exitCodes.ok;
      output.note(`${id}: ${server.status}; ${server.last_error ?? 'it does not answer'}`);
      if (server.login_url !== undefined) output.note(`it waits for a login: portico login ${id}`);
      else if (url !== null) output.note(`"portico server logs ${id}" has what it said`);
      return exitCodes.failed;
    },
  });
}

/** Its state once it is connected, has failed, or the time is over. */
async function settled(session: Session, id: string, patienceMs: number) {
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    const server = await findServer(session, id);
    const isWaiting = server.status === 'connecting' || server.status === 'reconnecting';
    if (!isWaiting || server.login_url !== undefined || performance.now() > giveUpAtMs || session.stopped.aborted)
      return server;
    await new Promise((wake) => setTimeout(wake, betweenLooksMs));
  }
}
