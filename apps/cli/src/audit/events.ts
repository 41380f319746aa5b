// `portico audit events`: records, newest first.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { addPageFlags, type PageOptions } from '../input/page.js';
import { addFilterFlags, type FilterOptions, toFilters } from './filters.js';
import { requireKeptLog } from './kept-log.js';

export function addAuditEvents(group: Command, shell: Shell): void {
  addCommand<[], FilterOptions & PageOptions>(group, shell, {
    usage: 'events',
    summary: 'List records, newest first',
    examples: ['audit events', 'audit events --type tool_call --status failed --limit 5', 'audit events --json'],
    flags: (command) => addPageFlags(addFilterFlags(command)),
    reach: 'state',
    async run(session, _args, options) {
      const { client, output } = session;
      await requireKeptLog(session);
      const answer = await client.listAuditEvents({
        ...toFilters(options),
        limit: options.limit,
        offset: options.offset,
      });
      type Event = (typeof answer.events)[number];
      const columns = [
        { heading: 'ID', cell: ({ id }: Event) => id },
        { heading: 'TIME', cell: ({ timestamp }: Event) => timestamp },
        { heading: 'TYPE', cell: ({ event_type }: Event) => event_type },
        { heading: 'STATUS', cell: ({ status }: Event) => status },
        { heading: 'ABOUT', cell: (event: Event) => event.capability_id ?? event.server_id ?? event.approval_id },
        { heading: 'ACTOR', cell: ({ actor_id, actor_kind }: Event) => sayActor(actor_id, actor_kind) },
        { heading: 'ERROR', cell: ({ error_code }: Event) => error_code },
      ];
      output.answer(answer, () => output.table(columns, answer.events, 'no records'));
      return undefined;
    },
  });
}

/** With the kind of proof: one name may be of several. */
function sayActor(id: string | undefined, kind: string | undefined): string | undefined {
  return id === undefined || kind === undefined ? (id ?? kind) : `${id} (${kind})`;
}
