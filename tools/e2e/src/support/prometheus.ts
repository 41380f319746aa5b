// Reads the Prometheus text format, version 0.0.4, and refuses other texts.
import type { DaemonClient } from './daemon-client.js';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Families by name. @throws Error naming the line that is malformed, or the family that is */
export function parsePrometheus(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  let current = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (families.has(name)) throw new Error(`${name} comes twice`);
      families.set(name, { type: '', help: rest, samples: [] });
      current = name;
    } else if (keyword === 'TYPE') {
      const family = families.get(name);
      if (family === undefined || name !== current || family.samples.length > 0) throw new Error(`misplaced: ${line}`);
      family.type = rest;
    } else {
      const sample = parseSample(line);
      const family = families.get(current);
      const names = (suffixes[family?.type ?? ''] ?? ['']).map((suffix) => current + suffix);
      if (!names.includes(sample.name)) throw new Error(`not a sample of ${current}: ${line}`);
      family?.samples.push(sample);
    }
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function parseSample(line: string): Sample {
  const [, name, labels = '', text = ''] = sampleLine.exec(line) ?? [];
  const value = toNumber(text);
  if (name === undefined || text === '' || value === undefined) throw new Error(`malformed: ${line}`);
  return { name, labels: parseLabels(labels, line), value };
}

/**
 * Numbers that Go's ParseFloat accepts: Prometheus reads values with it, in which case does not matter for these names.
 */
function toNumber(text: string): number | undefined {
  if (/^nan$/i.test(text)) return Number.NaN;
  const [, sign, infinity] = /^([+-]?)(inf)$/i.exec(text) ?? [];
  if (infinity !== undefined) return sign === '-' ? -Infinity : Infinity;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}

function parseLabels(text: string, line: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  let end = 0;
  while (end < text.length) {
    label.lastIndex = end;
    const [whole = '', name = '', value = ''] = label.exec(text) ?? [];
    if (whole === '' || name in labels) throw new Error(`malformed labels: ${line}`);
    labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
    end += whole.length;
  }
  return labels;
}

/** No label set comes twice; the buckets of a histogram grow up to its count. */
function checkFamily(name: string, { type, samples }: Family): void {
  if (!['counter', 'gauge', 'histogram', 'summary'].includes(type)) throw new Error(`${name} has the type "${type}"`);
  const keys = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]));
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has the same labels twice`);
  if (type === 'counter' && samples.some(({ value }) => value < 0)) throw new Error(`${name} counts down`);
  if (type !== 'histogram') return;
  const series = ({ labels: { le: _, ...labels } }: Sample) => JSON.stringify(Object.entries(labels).sort());
  for (const total of samples.filter((sample) => sample.name === `${name}_count`)) {
    const own = samples.filter((sample) => sample.name === `${name}_bucket` && series(sample) === series(total));
    const counts = own.map(({ value }) => value);
    const grows = counts.every((count, index) => count >= (counts[index - 1] ?? 0));
    if (!grows || own.at(-1)?.labels.le !== '+Inf' || counts.at(-1) !== total.value)
      throw new Error(`${name}: buckets`);
  }
}

/** The value of a metric without labels, as the daemon gives it now; undefined for one that it does not have. */
export async function readMetric(daemon: Pick<DaemonClient, 'get'>, name: string): Promise<number | undefined> {
  return parsePrometheus((await daemon.get('/metrics')).text).get(name)?.samples[0]?.value;
}
