// `portico search`: capabilities by words, best first.
import { type Command, Option } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { collect, toPositive } from '../input/numbers.js';

interface Options {
  readonly limit?: number;
  readonly server?: string[];
  readonly tag?: string[];
  readonly mode?: 'read' | 'write';
}

export function addSearch(program: Command, shell: Shell): void {
  addCommand<[string[]], Options>(program, shell, {
    usage: 'search [words...]',
    hasTable: true,
    summary: 'Find capabilities by words, servers and tags',
    examples: ['search add two numbers', 'search delete --server memory --limit 3', 'search --tag read-only --json'],
    flags: (command) =>
      command
        .option('--limit <n>', 'at most this many, 1 to 100 (default: 8)', toPositive)
        .option('--server <id>', 'only of this server; may be repeated', collect)
        .option('--tag <tag>', 'only with this tag; may be repeated, and all must match', collect)
        .addOption(
          new Option('--mode <mode>', 'only tools that read, or only tools that may write').choices(['read', 'write']),
        ),
    async run({ client, output }, [words], { limit, server, tag, mode }) {
      const answer = await client.searchCapabilities({
        query: words.join(' ') || null,
        limit: limit ?? null,
        server_ids: server ?? null,
        tags: tag ?? null,
        modes: mode === undefined ? null : [mode],
      });
      type Item = (typeof answer.capabilities)[number];
      const columns = [
        { heading: 'ID', cell: ({ id }: Item) => id },
        { heading: 'SCORE', cell: ({ score }: Item) => score.toFixed(2), value: 2 },
        { heading: 'MATCHED', cell: ({ match_types }: Item) => match_types.join(', '), value: 1 },
        { heading: 'MODE', cell: (item: Item) => item.mode, value: 3 },
        { heading: 'SUMMARY', cell: ({ summary }: Item) => summary },
      ];
      output.answer(answer, () => output.table(columns, answer.capabilities, 'nothing matches'));
      return undefined;
    },
  });
}
