// `portico ui`: the address that opens the web console. Where administration needs the operator token, a code in it does
// that once; the token itself is in no address.
import type { Command } from 'commander';
import { addCommand, type Shell } from './command.js';
import { NoDaemon } from './failures.js';

export function addUi(program: Command, shell: Shell): void {
  addCommand<[]>(program, shell, {
    usage: 'ui',
    summary: 'Print the address that opens the web console',
    examples: ['ui', 'ui --json'],
    async run({ client, url, output }) {
      if (url === null) throw new NoDaemon('this process', 'mcp_servers.json', 'the console needs a running daemon');
      const { code, expires_at } = await client.createConsoleCode();
      const address = code === null ? `${url}/ui` : `${url}/ui#code=${code}`;
      output.answer({ ok: true, url: address, expires_at }, () => {
        output.line(address);
        if (expires_at !== null) output.note(`it opens once, until ${expires_at}`);
      });
      return undefined;
    },
  });
}
