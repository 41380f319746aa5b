// The columns of a call on one line.
import { formatDuration, type RecentCall } from '@portico/contracts';
import type { Column } from '../output/table.js';
import { toLocal, toRelative, toTimeOfDay } from '../output/times.js';

/** Ids are never cut: where there is no room for one that a person can do without, its column is left out. */
export function callColumns(isExact: boolean, nowMs: number): readonly Column<RecentCall>[] {
  return [
    timeColumn(isExact, nowMs),
    { heading: 'STATUS', cell: ({ status }) => status, isId: true },
    { heading: 'AGENT', cell: sayAgent, value: 9 },
    { heading: 'CAPABILITY', cell: ({ capability_id, server_id }) => capability_id ?? server_id, isId: true },
    { heading: 'TOOK', cell: ({ duration_us }) => sayDuration(duration_us), isId: true, value: 8 },
    { heading: 'ERROR', cell: ({ error_code }) => error_code, isId: true, value: 7 },
    { heading: 'APPROVAL', cell: ({ approval_id }) => approval_id, isId: true, value: 4 },
    { heading: 'CHANNEL', cell: ({ channel }) => channel, value: 6 },
    { heading: 'ACTOR', cell: ({ actor_id, actor_kind }) => actor_id ?? actor_kind, value: 5 },
    { heading: 'RECORD', cell: ({ id }) => id, isId: true, value: 2 },
    { heading: 'TRACE', cell: ({ trace_id }) => trace_id, isId: true, value: 1 },
    { heading: 'ARGUMENTS', cell: sayArguments, value: 3 },
  ];
}

/** @param isExact also shows the date when it is today */
export function timeColumn(isExact: boolean, nowMs: number): Column<{ readonly timestamp: string }> {
  return { heading: 'TIME', cell: ({ timestamp }) => (isExact ? toLocal(timestamp) : sayTime(timestamp, nowMs)) };
}

export function sayAgent({ client, channel }: Pick<RecentCall, 'client' | 'channel'>): string | undefined {
  if (client === undefined) return channel;
  return client.version === undefined ? client.name : `${client.name} ${client.version}`;
}

/** In the words of the console. */
export function sayDuration(us: number | undefined): string | undefined {
  return us === undefined ? undefined : formatDuration(us / 1000);
}

function sayArguments({ arguments: text, arguments_truncated: isCut }: RecentCall): string | undefined {
  return isCut === true ? `${text}…` : text;
}

/** A time of day that has come again within this is ambiguous. */
const clearMs = 12 * 60 * 60_000;

/** The time of day of the last twelve hours; before, how long ago: a date leaves no room for the ids. */
function sayTime(timestamp: string, nowMs: number): string | undefined {
  return nowMs - Date.parse(timestamp) < clearMs ? toTimeOfDay(timestamp) : toRelative(timestamp, nowMs);
}
