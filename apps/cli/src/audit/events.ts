// `portico audit events`: records, newest first.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { addPageFlags, type PageOptions } from '../input/page.js';
import { addFilterFlags, type FilterOptions, toFilters } from './filters.js';
import { requireKeptLog } from './kept-log.js';

export function addAuditEvents(group: Command, shell: Shell): void {
  addCommand<[], FilterOptions & PageOptions>(group, shell, {
    usage: 'events',
    hasTable: true,
    summary: 'List records, newest first',
    examples: [
      'audit events',
      'audit events --since yesterday --status failed',
      'audit events --type tool_call --limit 5 --json',
    ],
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
        { heading: 'TIME', time: ({ timestamp }: Event) => timestamp, value: 2 },
        { heading: 'TYPE', cell: ({ event_type }: Event) => event_type, value: 4 },
        { heading: 'STATUS', cell: ({ status }: Event) => status, value: 3 },
        { heading: 'ABOUT', cell: aboutOf, isId: true },
        { heading: 'CLIENT', cell: ({ client }: Event) => client?.name, value: 1.5 },
        { heading: 'CHANNEL', cell: ({ channel }: Event) => channel, value: 0.5 },
        { heading: 'ACTOR', cell: ({ actor_id, actor_kind }: Event) => sayActor(actor_id, actor_kind), value: 1 },
        { heading: 'ERROR', cell: ({ error_code }: Event) => error_code },
      ];
      output.answer(answer, () => output.table(columns, answer.events, 'no records'));
      return undefined;
    },
  });
}

type Named = Readonly<Partial<Record<'capability_id' | 'server_id' | 'approval_id', string | undefined>>>;

function aboutOf({ capability_id, server_id, approval_id }: Named): string | undefined {
  return capability_id ?? server_id ?? approval_id;
}

/** With the kind of proof: one name may be of several. */
function sayActor(id: string | undefined, kind: string | undefined): string | undefined {
  return id === undefined || kind === undefined ? (id ?? kind) : `${id} (${kind})`;
}
