// `portico server logs`: what a server wrote to stderr.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { toPositive } from '../input/numbers.js';
import { toLocal } from '../output/times.js';
import { newLines } from './new-lines.js';

interface Options {
  readonly follow?: true;
  readonly lines?: number;
}

const betweenLooksMs = 500;

export function addServerLogs(group: Command, shell: Shell): void {
  addCommand<[string], Options>(group, shell, {
    usage: 'logs <id>',
    ids: ['server'],
    summary: 'Show what a server wrote to stderr, 500 lines back',
    examples: [
      'server logs tracker --lines 20',
      'server logs tracker --follow',
      'server logs tracker --follow --json | jq .text',
    ],
    flags: (command) =>
      command
        .option('-f, --follow', 'go on as more comes, until Ctrl-C; --json prints a line each')
        .option('-n, --lines <n>', 'only this many of the last lines to begin with', toPositive),
    async run({ client, output, stopped }, [id], { follow, lines = 500 }) {
      const answer = await client.getServerLogs(id);
      const text = (line: (typeof answer.lines)[number]) => `${toLocal(line.timestamp) ?? line.timestamp} ${line.text}`;
      const last = answer.lines.slice(-lines);
      if (follow !== true) {
        output.answer({ ...answer, lines: last }, () => output.line(last.map(text).join('\n')));
        return undefined;
      }
      for (const line of last) output.item(line, () => text(line));
      let shown = answer.lines;
      while (!stopped.aborted) {
        await new Promise((wake) => setTimeout(wake, betweenLooksMs));
        const { lines: now } = await client.getServerLogs(id, { signal: stopped });
        for (const line of newLines(shown, now)) output.item(line, () => text(line));
        shown = now;
      }
      return undefined;
    },
  });
}
