// Numbers and times as people read them. Clock times are those of the zone of the browser.

export { formatAgo, formatCount, formatDuration, plural } from '@portico/contracts';

/** `12:04:31`, in the zone of the browser. */
export function formatClock(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** `2026-02-03 12:04:31`, in the zone of the browser. */
export function formatDateTime(date: Date): string {
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${day.map((part) => String(part).padStart(2, '0')).join('-')} ${formatClock(date)}`;
}

/** `a, b and c` */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
