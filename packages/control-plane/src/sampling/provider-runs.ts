// Has the configured provider answer tickets, each beside the people who may. One that fails leaves the ticket to them.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import type { JsonObject, SamplingProvider } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import type { PlaneState } from '../state/plane-state.js';
import type { SamplingTickets } from './ask.js';
import type { SamplingTicket } from './ticket.js';

/**
 * Has a model answer.
 * @param params MCP params of `sampling/createMessage`
 * @returns the MCP `CreateMessageResult`; rejects when the provider fails, or cannot be asked this
 */
export type SampleMessages = (
  provider: SamplingProvider,
  params: JsonObject,
  signal: AbortSignalLike,
) => Promise<JsonObject>;

export interface ProviderRuns {
  /** Returns at once; does nothing where no provider is configured. */
  begin(ticket: SamplingTicket): void;
  /** As in `SamplingTickets`. */
  leftToPeople: SamplingTickets['leftToPeople'];
  /** The ticket is at its end: its answer is not wanted any more. */
  stop(id: string): void;
  close(): Promise<void>;
}

export interface ProviderRunsDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Asks the sampling provider that is configured. Without it tickets are left to people. */
  readonly sampleMessages?: SampleMessages | undefined;
}

interface ProviderRun {
  readonly abort: AbortController;
  /** Resolves if the provider fails, and only then. */
  readonly failed: Promise<void>;
  readonly ended: Promise<void>;
}

type Complete = (id: string, result: JsonObject) => Promise<unknown>;

export function createProviderRuns(
  { sampleMessages, clock, log }: ProviderRunsDeps,
  state: () => PlaneState,
  complete: Complete,
): ProviderRuns {
  const running = new Map<string, ProviderRun>();
  let isClosed = false;

  const stop = (id: string) => running.get(id)?.abort.abort();

  return {
    begin({ id, serverId, params }) {
      const { provider } = state().config.sampling;
      if (provider === null || sampleMessages === undefined || isClosed || running.has(id)) return;
      const abort = new AbortController();
      let fail = () => {};
      const failed = new Promise<void>((resolve) => {
        fail = resolve;
      });
      const ended = untilAborted(sampleMessages(provider, params, abort.signal), abort.signal)
        .then((result) => complete(id, result))
        .then(
          () => {},
          (error: unknown) => {
            if (abort.signal.aborted) return; // a person was faster, or the service stops
            const message = 'the sampling provider gave no answer; the ticket waits for people';
            log('warn', message, { ticket_id: id, server: serverId, error });
            fail();
          },
        )
        .finally(() => running.delete(id));
      running.set(id, { abort, failed, ended });
    },
    leftToPeople(id, signal) {
      const run = running.get(id);
      return run && Promise.race([run.failed, clock.sleep(state().config.toolTimeoutMs, signal)]);
    },
    stop,
    async close() {
      isClosed = true;
      for (const id of running.keys()) stop(id);
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
