// How one daemon shares its state with others: it adopts what is left by those that are gone, does what they ask, and
// asks them for what runs there.
import { coalesce } from '@portico/async';
import type { Engine } from './engine.js';
import { serveErrands } from './neighbours/errands.js';
import { noNeighbours } from './neighbours/neighbours.js';
import type { PlaneDeps } from './ports.js';
import { recover } from './recover.js';
import type { Sampling } from './sampling/sampling.js';
import type { PlaneState } from './state/plane-state.js';

export interface Sharing {
  /** Closes what processes that are gone left open, and records it. */
  adopt(): Promise<void>;
  /** Goes on with what was left, from now on also of those that go later, and does what others ask. */
  start(): void;
  /** Adopts nothing any more, and has ended what it was at when it resolves. */
  stopAdopting(): Promise<void>;
  /** Does nothing for others any more. */
  stopServing(): void;
  /** Ends what a principal has in flight or waiting for approval under a request id, wherever. Whether there was anything. */
  cancel(principal: string, requestId: string): Promise<boolean>;
}

export function createSharing(deps: PlaneDeps, engine: Engine, sampling: Sampling, state: () => PlaneState): Sharing {
  const { neighbours = noNeighbours, log } = deps;
  const { approvals, tasks, errands } = engine;
  const adopt = async () => {
    await Promise.all([recover(deps, state()), sampling.adopt()]);
  };
  const takeUp = async () => {
    const parts = await Promise.allSettled([approvals, sampling, tasks].map((part) => part.takeUp()));
    for (const part of parts) if (part.status === 'rejected') throw part.reason;
  };
  const tell = (error: unknown) => log('error', 'what is left of a process that is gone is not taken up', { error });
  let ignoreGone = () => {};
  let stopServing = () => {};
  const adoption = coalesce(() => adopt().then(takeUp).catch(tell));

  return {
    adopt,
    start() {
      adoption.ask();
      const cancel = (principal: string, requestId: string) => cancelHere(engine, principal, requestId);
      const work = { cancel, cancelTask: tasks.cancel, respondToTask: tasks.respond };
      stopServing = serveErrands(neighbours, work, log);
      ignoreGone = neighbours.onGone(adoption.ask);
    },
    async stopAdopting() {
      ignoreGone();
      await adoption.done();
    },
    stopServing: () => stopServing(),
    async cancel(principal, requestId) {
      const elsewhere = errands.cancel(principal, requestId); // in any case: who waits here may wait for what runs there
      elsewhere.catch(() => {}); // told below, and logged
      return (await cancelHere(engine, principal, requestId)) || elsewhere;
    },
  };
}

async function cancelHere(
  { operations, approvals, execution, tasks }: Engine,
  principal: string,
  requestId: string,
): Promise<boolean> {
  const waiting = tasks.cancelWaiting(principal, requestId); // first, since it notes whose end is a cancel
  const inFlight = operations.cancel(principal, requestId);
  const isParked = execution.parked.cancel(principal, requestId);
  const isWaiting = [await waiting, await isParked].includes(true);
  return (await approvals.cancel(principal, requestId)) || inFlight || isWaiting;
}
