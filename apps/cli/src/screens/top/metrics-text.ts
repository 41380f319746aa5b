// From the Prometheus text of the daemon to the two families that `top` needs. Everything else is passed over.

/** Counters since the daemon started. */
export interface Counted {
  readonly calls: number;
  readonly failed: number;
  /** Calls that took at most this many seconds, by that limit, including the limit of all calls. */
  readonly buckets: ReadonlyMap<number, number>;
}

export const nothingCounted: Counted = { calls: 0, failed: 0, buckets: new Map() };

/** By server; calls of what does not exist belong to none, and are under the empty name. */
export function parseCounts(text: string): ReadonlyMap<string, Counted> {
  const counts = new Map<string, Counted>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value = ''] = sample.exec(line) ?? [];
    if (name === undefined) continue;
    const server = labelOf(labels, 'server') ?? '';
    counts.set(server, add(counts.get(server) ?? nothingCounted, name, labels, Number(value)));
  }
  return counts;
}

const sample = /^portico_(executions_total|execution_duration_seconds_bucket)\{(.*)\} (\S+)$/;
const waits: ReadonlySet<string> = new Set(['OK', 'APPROVAL_PENDING']);

function add(counted: Counted, name: string, labels: string, value: number): Counted {
  if (name === 'executions_total') {
    const isFailure = !waits.has(labelOf(labels, 'code') ?? 'OK');
    return { ...counted, calls: counted.calls + value, failed: counted.failed + (isFailure ? value : 0) };
  }
  const text = labelOf(labels, 'le') ?? '+Inf';
  const limit = text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
  return { ...counted, buckets: new Map(counted.buckets).set(limit, (counted.buckets.get(limit) ?? 0) + value) };
}

function labelOf(labels: string, name: string): string | undefined {
  const [, value] = new RegExp(`(?:^|,)${name}="((?:[^"\\\\]|\\\\.)*)"`).exec(labels) ?? [];
  return value?.replace(/\\(.)/g, (_all, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}
