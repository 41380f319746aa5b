// Counts of executions in tables of our own: every call is counted, by look-ups in maps and without garbage.
// The text of Prometheus is made of them at a scrape.
import type { ExecutionSample, Reading } from '@portico/control-plane';

/** Upper bounds in seconds; half of them below what an HTTP round trip takes, since many servers are on this machine. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export interface DurationReading {
  readonly labels: { readonly server: string; readonly kind: string };
  /** How many took at most each of `durationBounds`; the last one counts all. */
  readonly atMost: readonly number[];
  /** Seconds. */
  readonly sum: number;
}

export interface ExecutionCounts {
  add(sample: ExecutionSample): void;
  /** By server, capability, kind and code. */
  executions(): readonly Reading[];
  /** By server and kind; those without replays are left out. */
  replays(): readonly Reading[];
  /** By the channel that they came by and code. */
  channels(): readonly Reading[];
  durations(): readonly DurationReading[];
}

interface ServerCounts {
  readonly server: string;
  readonly kind: string;
  /** Executions by code, by capability. */
  readonly byCapability: Map<string, Map<string, number>>;
  /** How many were above the bound before and at most this one; the last one counts those above all bounds. */
  readonly within: number[];
  sum: number;
  replays: number;
}

export function createExecutionCounts(): ExecutionCounts {
  const byServer = new Map<string, Map<string, ServerCounts>>();
  const beginCounts = (server: string, kind: string): ServerCounts => {
    const within = Array.from({ length: durationBounds.length + 1 }, () => 0);
    const counts = { server, kind, byCapability: new Map(), within, sum: 0, replays: 0 };
    const byKind = byServer.get(server);
    if (byKind === undefined) byServer.set(server, new Map([[kind, counts]]));
    else byKind.set(kind, counts);
    return counts;
  };
  const byChannel = new Map<string, Map<string, number>>();
  const all = () => [...byServer.values()].flatMap((byKind) => [...byKind.values()]);

  return {
    add({ server, capability, kind, code, channel, isReplay, durationMs }) {
      const ofChannel = byChannel.get(channel ?? '') ?? new Map<string, number>();
      if (ofChannel.size === 0) byChannel.set(channel ?? '', ofChannel);
      ofChannel.set(code, (ofChannel.get(code) ?? 0) + 1);
      const counts = byServer.get(server)?.get(kind) ?? beginCounts(server, kind);
      const byCode = counts.byCapability.get(capability);
      if (byCode === undefined) counts.byCapability.set(capability, new Map([[code, 1]]));
      else byCode.set(code, (byCode.get(code) ?? 0) + 1);
      if (isReplay) counts.replays += 1;
      if (!Number.isFinite(durationMs)) return; // one would make the sum useless permanently
      const seconds = durationMs / 1000;
      let at = 0;
      while (at < durationBounds.length && seconds > (durationBounds[at] ?? 0)) at += 1;
      counts.within[at] = (counts.within[at] ?? 0) + 1;
      counts.sum += seconds;
    },
    executions: () =>
      all().flatMap(({ server, kind, byCapability }) =>
        [...byCapability].flatMap(([capability, byCode]) =>
          [...byCode].map(([code, value]) => ({ labels: { server, capability, kind, code }, value })),
        ),
      ),
    replays: () =>
      all()
        .filter(({ replays }) => replays > 0)
        .map(({ server, kind, replays }) => ({ labels: { server, kind }, value: replays })),
    channels: () =>
      [...byChannel].flatMap(([channel, byCode]) =>
        [...byCode].map(([code, value]) => ({ labels: { channel, code }, value })),
      ),
    durations: () =>
      all().map(({ server, kind, within, sum }) => ({ labels: { server, kind }, atMost: added(within), sum })),
  };
}

/** Each with those before it. */
function added(counts: readonly number[]): readonly number[] {
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum;
  });
}
