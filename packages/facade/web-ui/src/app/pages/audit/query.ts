// The search line of the audit log: words, and terms such as `agent:cursor outcome:failed since:yesterday`. Only computations.
import { auditChannels, auditEventTypes, auditStatuses } from '@portico/contracts';
import { parseTime } from './time-words.js';

export const filterNames = [
  'q',
  'client',
  'channel',
  'event_type',
  'status',
  'capability_id',
  'server_id',
  'actor_id',
  'trace_id',
  'rule',
  'shadow',
  'start_time',
  'end_time',
] as const;
export type FilterName = (typeof filterNames)[number];

/** As the address of the page and the service name them. */
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** The words that people type, the first one for each filter being the one that is shown. */
const terms: Readonly<Record<Exclude<FilterName, 'q'>, readonly [string, ...string[]]>> = {
  client: ['agent', 'client'],
  channel: ['channel'],
  event_type: ['kind', 'event_type'],
  status: ['outcome', 'status'],
  capability_id: ['tool', 'capability', 'capability_id'],
  server_id: ['server', 'server_id'],
  actor_id: ['actor', 'actor_id'],
  trace_id: ['trace', 'trace_id'],
  rule: ['rule'],
  shadow: ['shadow'],
  start_time: ['since', 'start_time'],
  end_time: ['until', 'end_time'],
};

export const termNames: readonly string[] = Object.values(terms).map(([name]) => name);

const values: Readonly<Partial<Record<FilterName, readonly string[]>>> = {
  channel: auditChannels,
  event_type: auditEventTypes,
  status: auditStatuses,
};

/** Common words for an outcome, in addition to the words of the log. */
const outcomeWords: Readonly<Record<string, string>> = {
  done: 'success',
  refused: 'denied',
  waiting: 'intercepted',
};

/** Record types of agents' calls, admitted or refused. */
export const callTypes = 'tool_call,resource_read,prompt_get,policy_violation';
const callsWord = 'calls';

export type ParsedQuery =
  | { readonly ok: true; readonly filters: Filters }
  | { readonly ok: false; readonly message: string };

/** @param nowMs what `yesterday` and `1h` are counted from */
export function parseQuery(text: string, nowMs: number): ParsedQuery {
  const filters: Partial<Record<FilterName, string>> = {};
  const words: string[] = [];
  for (const part of text.match(/[\w.-]+:"[^"]*"|\S+/g) ?? []) {
    const [, name = '', value = ''] = /^([a-z_]+):"?(.*?)"?$/i.exec(part) ?? [];
    const filter = filterOf(name);
    if (filter === undefined && isMeantAsTerm(name)) return { ok: false, message: unknownTerm(name) };
    if (filter === undefined) {
      words.push(part);
      continue;
    }
    const read = readValue(filter, value, nowMs);
    if (read === undefined) return { ok: false, message: wrongValue(filter, value) };
    if (filters[filter] !== undefined) return { ok: false, message: `${terms[filter][0]}: is there twice.` };
    filters[filter] = read;
  }
  return { ok: true, filters: { ...(words.length === 0 ? {} : { q: words.join(' ') }), ...filters } };
}

function filterOf(name: string): Exclude<FilterName, 'q'> | undefined {
  const wanted = name.toLowerCase();
  return (Object.keys(terms) as Exclude<FilterName, 'q'>[]).find((filter) => terms[filter].includes(wanted));
}

/** A word with a colon may also be a word to search for, such as an address. */
function isMeantAsTerm(name: string): boolean {
  return nearTerm(name) !== undefined;
}

/** A term that the name may be a misspelling of: two letters apart, of four letters or fewer one. */
function nearTerm(name: string): string | undefined {
  const most = name.length > 4 ? 2 : 1;
  return name === '' ? undefined : termNames.find((known) => distanceOf(known, name.toLowerCase()) <= most);
}

function unknownTerm(name: string): string {
  return `There is no term "${name}:". Did you mean "${nearTerm(name)}:"?`;
}

function readValue(filter: FilterName, value: string, nowMs: number): string | undefined {
  if (value === '') return undefined;
  if (filter === 'start_time' || filter === 'end_time') return parseTime(value, nowMs);
  const word = filter === 'status' ? (outcomeWords[value] ?? value) : value === callsWord ? callTypes : value;
  const known = values[filter];
  const parts = filter === 'event_type' ? word.split(',') : [word];
  return known === undefined || parts.every((part) => known.includes(part)) ? word : undefined;
}

function wrongValue(filter: Exclude<FilterName, 'q'>, value: string): string {
  const [name] = terms[filter];
  if (filter === 'start_time' || filter === 'end_time')
    return `${name}: takes today, yesterday, 90m, 24h, 7d, a date or a time, such as 2026-01-31T08:00; not "${value}".`;
  const known = values[filter];
  return known === undefined ? `${name}: has no value.` : `${name}: takes one of ${known.join(', ')}; not "${value}".`;
}

/** The line that gives these filters, words first. */
export function toQueryText(filters: Filters): string {
  return chipsOf(filters)
    .map(({ text }) => text)
    .join(' ');
}

export interface Chip {
  readonly filter: FilterName;
  readonly text: string;
}

export function chipsOf(filters: Filters): readonly Chip[] {
  return filterNames.flatMap((filter): readonly Chip[] => {
    const value = filters[filter];
    if (value === undefined || value === '') return [];
    if (filter === 'q') return [{ filter, text: value }];
    const brief = value.replace(/:00\.000Z$/, 'Z'); // a time without seconds
    const word = filter === 'event_type' && brief === callTypes ? callsWord : brief;
    const shown = /\s/.test(word) ? `"${word}"` : word;
    return [{ filter, text: `${terms[filter][0]}:${shown}` }];
  });
}

/** Edits between two short words: Levenshtein's distance, two rows at a time. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (let other = 1; other <= b.length; other += 1) {
      const change = (row[other - 1] ?? 0) + (letter === b[other - 1] ? 0 : 1);
      next.push(Math.min(change, (row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
