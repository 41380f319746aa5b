// Streams the audit log to every configured SIEM target, each at its own pace. It does not select records, and no
// function throws or makes a caller wait. The log contains the origin of a target only.
import type { SiemTarget } from '@portico/contracts';
import { createEgress } from '@portico/egress';
import { loggableOrigin } from '../post-request.js';
import type { DeliveryLog } from '../webhook-sender.js';
import { createSendRecords } from './send-records.js';
import { createSiemStream, type SiemLag, type SiemStream, type StreamOptions } from './siem-stream.js';
import { identifyTargets } from './target-id.js';

export interface SiemStreamsOptions extends Omit<StreamOptions, 'id' | 'origin' | 'send'> {
  readonly targets: readonly SiemTarget[];
  /** By default one with a guard of its own. */
  readonly fetch?: typeof fetch;
  /** Limit of one request and its answer. */
  readonly timeoutMs?: number;
}

export interface SiemStreams {
  /** Returns at once. A second call changes nothing, nor does one after `close`. */
  start(): void;
  /** The lag of each target whose cursor is known. */
  lag(): readonly SiemLag[];
  /** Tries `graceMs` at most to send what waits, then gives up; the cursors stay where the targets are. */
  close(graceMs: number): Promise<void>;
}

/** Creates the streams of audit records to SIEM targets; each keeps its position and retries. */
export function createSiemStreams(options: SiemStreamsOptions): SiemStreams {
  const streams = identifyTargets(options.targets).map(({ id, target }) => toStream(id, target, options));
  let running: Promise<unknown> | undefined;
  let isClosed = false;

  return {
    start() {
      if (isClosed) return;
      running ??= Promise.all(streams.map((stream) => stream.run()));
    },
    lag: () => streams.flatMap((stream) => stream.lag() ?? []),
    async close(graceMs) {
      if (!isClosed) for (const stream of streams) stream.finish();
      isClosed = true;
      const cancel = options.clock.after(graceMs, () => {
        for (const stream of streams) stream.giveUp();
      });
      await running;
      cancel();
    },
  };
}

function toStream(id: string, target: SiemTarget, options: SiemStreamsOptions): SiemStream {
  const { clock, fetch = createEgress().fetch, timeoutMs = 10_000 } = options;
  const send = createSendRecords(target, { fetch, timeoutMs, clock });
  return createSiemStream({ ...options, id, origin: loggableOrigin(target.url), send, log: quiet(options.log) });
}

/** A log that fails must not end a stream: there is nowhere left to report it. */
function quiet(log: DeliveryLog): DeliveryLog {
  return (...line) => {
    try {
      log(...line);
    } catch {}
  };
}
