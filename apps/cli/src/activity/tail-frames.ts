// `portico tail --frames`: the last messages between Portico and its servers, and those that come.
import type { FrameFilters } from '@portico/client';
import type { WireFrame } from '@portico/contracts';
import type { Session } from '../command.js';
import type { Output } from '../output/output.js';
import type { Column } from '../output/table.js';
import { sayDuration, timeColumn } from './columns.js';

/** How much of what was, and whether of what comes, is shown. */
export interface Tail<Filters> {
  readonly filters: Filters;
  /** To show of those that were. */
  readonly lines: number;
  /** To ask for. */
  readonly limit: number;
  readonly isFollowing: boolean;
  readonly isWide: boolean;
}

export async function tailFrames({ client, output, stopped }: Session, tail: Tail<FrameFilters>): Promise<undefined> {
  const { filters, lines, limit, isFollowing, isWide } = tail;
  const { frames, cursor, counts } = await client.listFrames({ ...filters, limit }, { signal: stopped });
  const show = showing(output, isWide);
  show(frames.slice(0, lines).reverse());
  if (counts.dropped > 0)
    output.note(`${counts.dropped} messages came faster than they could be redacted, and are not kept`);
  if (!isFollowing) return;
  for await (const message of client.streamFrames(filters, { signal: stopped, lastEventId: cursor })) {
    if (message.event === 'frame') show([message.data]);
    else output.note(`${message.data.count} messages are left out here: they came faster than they are shown`);
  }
  if (!stopped.aborted) output.note('no more messages come: the daemon stopped, or inspect.enabled is false now');
}

function showing(output: Output, isWide: boolean): (frames: readonly WireFrame[]) => void {
  if (output.isJson) {
    return (frames) => {
      for (const frame of frames) output.item(frame, () => frame.id);
    };
  }
  return output.growingTable(frameColumns(isWide || !output.isTerminal, Date.now()));
}

/** Ids are never cut, as in the table of calls. */
function frameColumns(isExact: boolean, nowMs: number): readonly Column<WireFrame>[] {
  return [
    timeColumn(isExact, nowMs),
    { heading: 'SERVER', cell: ({ server_id }) => server_id, isId: true },
    { heading: 'DIRECTION', cell: ({ direction }) => (direction === 'sent' ? '-> sent' : '<- received'), value: 9 },
    { heading: 'KIND', cell: ({ kind, is_error }) => (is_error === true ? 'error' : kind), isId: true },
    { heading: 'METHOD', cell: ({ method }) => method, isId: true, value: 8 },
    { heading: 'ID', cell: ({ rpc_id }) => rpc_id, value: 6 },
    { heading: 'BYTES', cell: ({ bytes }) => bytes, value: 5 },
    { heading: 'TOOK', cell: ({ duration_us }) => sayDuration(duration_us), isId: true, value: 7 },
    { heading: 'TRACE', cell: ({ trace_id }) => trace_id, isId: true, value: 1 },
    { heading: 'BODY', cell: sayBody, value: 3 },
  ];
}

function sayBody({ body, body_truncated: isCut }: WireFrame): string | undefined {
  if (isCut !== true) return body;
  return body === undefined ? '(left out)' : `${body}…`;
}
