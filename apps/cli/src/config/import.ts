// `portico config import`: takes servers over from the files of AI clients, or shows what could be taken.
import { resolve } from 'node:path';
import type { ServerSource } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { exitCodes } from '../failures.js';

interface Options {
  readonly overwrite?: true;
  readonly list?: true;
}

export function addImport(group: Command, shell: Shell): void {
  addCommand<[string | undefined], Options>(group, shell, {
    usage: 'import [file]',
    hasTable: true,
    summary: 'Take servers over from the files of AI clients, all that are known or this one',
    examples: ['config import --list', 'config import', 'config import ~/.cursor/mcp.json --overwrite'],
    flags: (command) =>
      command
        .option('--list', 'only show what could be taken')
        .option('--overwrite', 'replace servers that are configured'),
    reach: 'state',
    async run({ client, output }, [file], { overwrite, list }) {
      if (list === true) {
        const answer = await client.listSources();
        const sources = answer.sources.filter(({ path }) => file === undefined || path === resolve(file));
        const columns = [
          { heading: 'ID', cell: ({ server_id }: ServerSource) => server_id },
          { heading: 'CLIENT', cell: (source: ServerSource) => source.client, isId: true },
          {
            heading: 'CONFIGURED',
            cell: ({ already_configured }: ServerSource) => (already_configured ? 'yes' : 'no'),
          },
          { heading: 'FILE', cell: ({ path }: ServerSource) => path },
        ];
        output.answer({ ...answer, sources }, () => output.table(columns, sources, 'nothing to import'));
        return exitCodes.ok;
      }
      const clear = output.progress('importing');
      const source_path = file === undefined ? null : resolve(file);
      const answer = await client.importServers({ source_path, overwrite: overwrite ?? null }).finally(clear);
      output.answer(answer, () => output.line(`imported: ${answer.imported.join(', ') || 'nothing'}`));
      for (const { server_id, client: from, reason } of answer.skipped)
        output.note(`skipped ${server_id} of ${from}: ${reason}`);
      for (const { path, message } of answer.errors) output.note(`${path}: ${message}`);
      return answer.errors.length > 0 ? exitCodes.failed : exitCodes.ok;
    },
  });
}
