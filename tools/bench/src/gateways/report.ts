// The table of docs/comparison.md, between two marks.
import { percentile, withSpread } from '../statistics.js';
import { type Gateway, versionOf } from './gateways.js';
import type { Behaviour, Timing } from './measure.js';

export const marks = {
  begin: '<!-- what `npm run bench:gateways` measured: begin -->',
  end: '<!-- what `npm run bench:gateways` measured: end -->',
} as const;

export interface Row {
  readonly gateway: Gateway;
  /** One for each round. */
  readonly timings: readonly Timing[];
  readonly behaviour: Behaviour;
}

export interface Measured {
  readonly rows: readonly Row[];
  /** Milliseconds of the calls of each round without a gateway. */
  readonly direct: readonly (readonly number[])[];
  readonly date: string;
  readonly machine: string;
}

export function table({ rows, direct, date, machine }: Measured): string {
  const medians = direct.map((calls) => percentile(calls, 0.5));
  const lines = rows.map(({ gateway, timings, behaviour }) => {
    const added = (fraction: number) =>
      withSpread(
        timings.map(
          ({ callMs }, round) => 1000 * (percentile(callMs, fraction) - percentile(direct[round] ?? [], fraction)),
        ),
      );
    const of = (read: (timing: Timing) => number) => withSpread(timings.map(read));
    return [
      `[${gateway.name}](${gateway.home.replace('README.md', '../README.md')}) ${versionOf(gateway)}`,
      added(0.5),
      added(0.95),
      of(({ cpuUsPerCall }) => cpuUsPerCall),
      of(({ firstListMs }) => firstListMs),
      of(({ idleBytes }) => idleBytes / 1e6),
      behaviour.afterKill === 'same session'
        ? `${behaviour.afterKill}, ${Math.round(behaviour.afterKillMs)} ms`
        : behaviour.afterKill,
      repeatedWithKey(gateway, behaviour),
      changedDescription(gateway, behaviour),
    ];
  });
  const heads = [
    ...['Gateway', 'Added p50, µs', 'Added p95, µs', 'CPU a call, µs', 'First list, ms', 'Idle memory, MB'],
    ...['Call after its server was killed', 'Request repeated with a key runs', 'Changed description'],
  ];
  return [
    `Run on ${date}: ${machine}. Without a gateway a call takes ${withSpread(medians.map((ms) => ms * 1000))} µs.`,
    '',
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---|').join('')}`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

/** MCP has no such key, so only Portico has a way to take one. */
function repeatedWithKey({ source }: Gateway, { executions }: Behaviour): string {
  const times = executions === 1 ? 'once' : `${executions} times`;
  return source.kind === 'checkout' ? `${times}, with the key of its tool \`capability_call\`` : times;
}

/** Portico has the lock for this column only, so its cell names the setting. */
function changedDescription({ source }: Gateway, behaviour: Behaviour): string {
  const seen = behaviour.changedDescription;
  return source.kind === 'checkout' ? `${seen} with \`lock.mode\` \`enforce\`, which is off by default` : seen;
}

/** @throws Error if the document does not have the marks */
export function writeInto(document: string, text: string): string {
  const begin = document.indexOf(marks.begin);
  const end = document.indexOf(marks.end);
  if (begin === -1 || end < begin) throw new Error(`docs/comparison.md has no lines ${marks.begin} and ${marks.end}`);
  return `${document.slice(0, begin + marks.begin.length)}\n\n${text}\n\n${document.slice(end)}`;
}
