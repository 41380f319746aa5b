// Times for people: relative in tables, local with their offset where they have to be exact. JSON keeps the times of the
// service. Intl.RelativeTimeFormat is not used: its short forms differ between the ICU versions of the supported Nodes.

/** Unix seconds, or RFC 3339. */
export type TimeValue = number | string | null | undefined;

const units = [
  { name: 's', ms: 1000, before: 60_000 },
  { name: 'min', ms: 60_000, before: 60 * 60_000 },
  { name: 'h', ms: 60 * 60_000, before: 48 * 60 * 60_000 },
  { name: 'd', ms: 24 * 60 * 60_000, before: 30 * 24 * 60 * 60_000 },
] as const;

/** `in 4 min`, `3 h ago`, `now`; a local date from 30 days on. Undefined for what is no time. */
export function toRelative(value: TimeValue, nowMs: number): string | undefined {
  const atMs = toEpochMs(value);
  if (atMs === undefined) return undefined;
  const distanceMs = Math.abs(atMs - nowMs);
  if (distanceMs < 1000) return 'now';
  const unit = units.find(({ before }) => distanceMs < before);
  if (unit === undefined) return toLocal(value)?.slice(0, 'yyyy-mm-dd'.length);
  const amount = `${Math.floor(distanceMs / unit.ms)} ${unit.name}`;
  return atMs > nowMs ? `in ${amount}` : `${amount} ago`;
}

/** RFC 3339 to the second, in the time zone of this process: `2026-11-22T10:00:00+01:00`. */
export function toLocal(value: TimeValue): string | undefined {
  const atMs = toEpochMs(value);
  if (atMs === undefined) return undefined;
  const at = new Date(atMs);
  const offset = -at.getTimezoneOffset();
  const shifted = new Date(atMs + offset * 60_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  return `${shifted}${offset === 0 ? 'Z' : toOffset(offset)}`;
}

/** Hours, minutes and seconds in the time zone of this process. */
export function toTimeOfDay(value: TimeValue): string | undefined {
  return toLocal(value)?.slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm:ss'.length);
}

function toOffset(minutes: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const distance = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(distance / 60))}:${two(distance % 60)}`;
}

function toEpochMs(value: TimeValue): number | undefined {
  const atMs = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Math.abs(atMs) <= latestMs ? atMs : undefined;
}

/** The last time that RFC 3339 can write. */
const latestMs = Date.parse('9999-12-31T00:00:00Z');
