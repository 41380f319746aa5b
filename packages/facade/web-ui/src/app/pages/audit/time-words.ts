// Times as people type them, in the zone of the browser, to RFC 3339 in UTC. Only computations.

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `today`, `yesterday`, `90m`, `24h`, `7d`, `2026-01-31`, `2026-01-31T08:00`, or RFC 3339; undefined for anything else. */
export function parseTime(text: string, nowMs: number): string | undefined {
  const word = text.toLowerCase();
  if (word === 'today' || word === 'yesterday') {
    const day = new Date(nowMs);
    day.setHours(0, 0, 0, 0);
    if (word === 'yesterday') day.setDate(day.getDate() - 1);
    return day.toISOString();
  }
  const [, amount, unit = ''] = /^(\d{1,4})([mhd])$/.exec(word) ?? [];
  if (amount !== undefined) return new Date(nowMs - Number(amount) * (unitMs[unit] ?? 0)).toISOString();
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (!isDate && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/i.test(text))
    return undefined;
  // A date alone would be read as midnight in UTC.
  const at = new Date(isDate ? `${text}T00:00` : text.toUpperCase());
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
