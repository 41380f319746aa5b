// `portico audit show`: one record with all its fields.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { showFields } from '../output/describe.js';
import { requireKeptLog } from './kept-log.js';

export function addAuditShow(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'show <id>',
    summary: 'Show one record',
    examples: ['audit show aud-000000000001'],
    reach: 'state',
    async run(session, [id]) {
      await requireKeptLog(session);
      const answer = await session.client.getAuditEvent(id);
      session.output.answer(answer, () => showFields(session.output, answer.event));
      return undefined;
    },
  });
}
