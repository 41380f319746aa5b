// `portico login`: shows the login link of a server, and waits until a user has followed it.
import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { exitCodes } from '../failures.js';
import { toPositive } from '../input/numbers.js';
import { toPlainBlock } from '../output/plain-text.js';
import { findServer } from './shown-servers.js';

interface Options {
  readonly browser: boolean;
  readonly timeout?: number;
}

const betweenLooksMs = 250;

export function addLogin(program: Command, shell: Shell): void {
  addCommand<[string], Options>(program, shell, {
    usage: 'login <server>',
    ids: ['server'],
    summary: 'Log in at a server that asks for it: opens its link, and waits until it is connected',
    examples: ['login tracker', 'login tracker --no-browser --timeout 120'],
    flags: (command) =>
      command
        .option('--no-browser', 'only print the link')
        .option('--timeout <seconds>', 'wait this long (default: 300)', toPositive),
    async run(session, [id], { browser, timeout = 300 }) {
      const { output, stopped } = session;
      const giveUpAtMs = performance.now() + timeout * 1000;
      let shown: string | undefined;
      for (;;) {
        const server = await findServer(session, id);
        if (server.status === 'connected') {
          output.answer({ ok: true, server }, () => output.line(`${id}: connected`));
          return exitCodes.ok;
        }
        if (server.login_url !== undefined && server.login_url !== shown) {
          shown = server.login_url;
          output.note(`open this link to log in at ${id}:\n${toPlainBlock(shown)}`);
          if (browser && output.isTerminal) openBrowser(shown);
        }
        if (performance.now() > giveUpAtMs || stopped.aborted || isGivenUp(server.status, shown)) {
          output.note(`${id}: ${server.status}; ${server.last_error ?? 'no user has logged in'}`);
          return exitCodes.failed;
        }
        await new Promise((wake) => setTimeout(wake, betweenLooksMs));
      }
    },
  });
}

/** Without a link there is nothing that a person could do. */
function isGivenUp(status: string, link: string | undefined): boolean {
  return status === 'disabled' || (status === 'degraded' && link === undefined);
}

/** Only web addresses: other schemes that a server may send are never opened. */
function openBrowser(link: string): void {
  if (!/^https?:\/\//.test(link)) return;
  const [command, ...args] = browsers[process.platform] ?? ['xdg-open'];
  const child = spawn(command ?? 'xdg-open', [...args, link], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // there is none: the link stands on stderr
  child.unref();
}

const browsers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
