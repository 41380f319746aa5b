// Records by status over time, as the parts of a chart. Only computations.
import type { Answers } from '@portico/client';
import type { AuditStatus } from '@portico/contracts';
import { formatClock, formatDateTime } from './format.js';

export type StatusPoint = Answers['getAuditSeries']['points'][number];

/** In the order in which they are stacked, from below. The words are those of sentences. */
export const outcomes: readonly {
  readonly status: AuditStatus;
  readonly word: string;
  readonly tone: 'main' | 'bad' | 'info' | 'second' | 'quiet';
}[] = [
  { status: 'success', word: 'done', tone: 'main' },
  { status: 'intercepted', word: 'waiting', tone: 'info' },
  { status: 'denied', word: 'refused', tone: 'second' },
  { status: 'failed', word: 'failed', tone: 'bad' },
  { status: 'cancelled', word: 'cancelled', tone: 'quiet' },
];

export function totalsOf(points: readonly StatusPoint[]): Readonly<Record<AuditStatus, number>> {
  const sums = { success: 0, intercepted: 0, denied: 0, failed: 0, cancelled: 0 };
  for (const point of points) for (const { status } of outcomes) sums[status] += point[status];
  return sums;
}

export function countIn(point: StatusPoint): number {
  return outcomes.reduce((sum, { status }) => sum + point[status], 0);
}

/** RFC 3339, both inclusive: neighbours share no record. */
export function timesOf(
  { start }: Pick<StatusPoint, 'start'>,
  stepSecs: number,
): { readonly start_time: string; readonly end_time: string } {
  const startMs = Date.parse(start);
  return { start_time: start, end_time: new Date(startMs + stepSecs * 1000 - 1).toISOString() };
}

const daySecs = 86_400;

/** As short as possible for intervals of this length: a time of day, or a date. */
export function tickOf(start: string, stepSecs: number, count: number): string {
  const at = new Date(start);
  const isWithinDay = stepSecs * count <= 2 * daySecs;
  if (isWithinDay) return stepSecs < 60 ? formatClock(at) : formatClock(at).slice(0, 5);
  const text = formatDateTime(at);
  return stepSecs < daySecs ? text.slice(5, 16) : text.slice(0, 10);
}

/** `a minute`, `30 minutes`, `a day`. */
export function stepText(stepSecs: number): string {
  const [unit, secs] = (
    [
      ['day', daySecs],
      ['hour', 3600],
      ['minute', 60],
      ['second', 1],
    ] as const
  ).find(([, length]) => stepSecs % length === 0) ?? ['second', 1];
  const count = stepSecs / secs;
  return count === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit}` : `${count} ${unit}s`;
}
