// Times as people type them: words, distances back from now, local dates, and what the service itself takes.
import { nearestOf } from '@portico/contracts';
import { InvalidArgumentError } from 'commander';

const examples = 'yesterday, today, now, 30m, 1h, 7d, 2026-11-22, 2026-11-22T10:00, RFC 3339, Unix seconds';
const words = ['now', 'today', 'yesterday'] as const;
const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The first moment of a day, else the moment itself. For `--since`; commander names the flag. */
export function toStart(text: string): string {
  return toMoment(text, 'start');
}

/** The last moment of a day, else the moment itself: `--until yesterday` has yesterday in it. */
export function toEnd(text: string): string {
  return toMoment(text, 'end');
}

/** @returns RFC 3339 or Unix seconds. @throws InvalidArgumentError */
function toMoment(text: string, edge: 'start' | 'end', now = new Date()): string {
  const given = text.trim();
  const word = given.toLowerCase();
  if (word === 'now') return now.toISOString();
  if (word === 'today') return edgeOfDay(now, 0, edge);
  if (word === 'yesterday') return edgeOfDay(now, -1, edge);
  const [, amount, unit = ''] = /^(\d{1,6}) ?([smhdw])(?: ago)?$/.exec(word) ?? [];
  if (amount !== undefined) return checked(now.getTime() - Number(amount) * (unitsMs[unit] ?? 0), text);
  if (/^\d{9,11}(\.\d+)?$/.test(given)) return given;
  const [, year, month, day, time, zone] =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i.exec(given) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  if (year === undefined || !isSameDay(date, Number(month), Number(day))) throw unknownTime(text);
  if (time === undefined) return edgeOfDay(date, 0, edge);
  // Without a zone the engine reads it as local.
  return checked(Date.parse(`${year}-${month}-${day}T${time}${zone?.toUpperCase() ?? ''}`), text);
}

/** A day of 23 or 25 hours is one day as well. */
function edgeOfDay(of: Date, days: number, edge: 'start' | 'end'): string {
  const start = new Date(of.getFullYear(), of.getMonth(), of.getDate() + days);
  if (edge === 'start') return start.toISOString();
  return new Date(new Date(of.getFullYear(), of.getMonth(), of.getDate() + days + 1).getTime() - 1).toISOString();
}

/** 30 February is read as a day of March otherwise. */
function isSameDay(date: Date, month: number, day: number): boolean {
  return date.getMonth() === month - 1 && date.getDate() === day;
}

function checked(epochMs: number, text: string): string {
  if (Number.isNaN(epochMs)) throw unknownTime(text);
  return new Date(epochMs).toISOString();
}

function unknownTime(text: string): InvalidArgumentError {
  const nearest = nearestOf(text.trim(), words);
  const meant = nearest === undefined ? '' : `Did you mean ${nearest}? `;
  return new InvalidArgumentError(`${meant}Accepted are: ${examples}. Times without a zone are local.`);
}
