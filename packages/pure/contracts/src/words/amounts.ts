// Numbers, durations and distances in time as people read them; the same in every place and zone.

/** `250 µs`, `12 ms`, `1.5 s`, `1 h 1 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const secs = ms / 1000;
  if (secs < 60) return `${secs < 10 ? secs.toFixed(1) : Math.round(secs)} s`;
  if (secs < 3600) return `${Math.floor(secs / 60)} min ${Math.round(secs % 60)} s`;
  if (secs < 86_400) return `${Math.floor(secs / 3600)} h ${Math.floor((secs % 3600) / 60)} min`;
  return `${Math.floor(secs / 86_400)} d ${Math.floor((secs % 86_400) / 3600)} h`;
}

/** `12 s ago`, `3 h ago`, `in 4 min`; `now` within a second. */
export function formatAgo(atMs: number, nowMs: number): string {
  const secs = Math.round(Math.abs(nowMs - atMs) / 1000);
  if (secs < 1) return 'now';
  const amount =
    secs < 60
      ? `${secs} s`
      : secs < 3600
        ? `${Math.floor(secs / 60)} min`
        : secs < 86_400
          ? `${Math.floor(secs / 3600)} h`
          : plural(Math.floor(secs / 86_400), 'day');
  return atMs > nowMs ? `in ${amount}` : `${amount} ago`;
}

/** A count with commas between thousands: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 server`, `2 servers`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
