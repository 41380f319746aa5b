// Numbers and times as people read them. Nothing here depends on where the browser is, but for clock times.

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

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 server`, `2 servers`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `12:04:31`, in the zone of the browser. */
export function formatClock(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** `2026-02-03 12:04:31`, in the zone of the browser. */
export function formatDateTime(date: Date): string {
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${day.map((part) => String(part).padStart(2, '0')).join('-')} ${formatClock(date)}`;
}
