// How one daemon shares its state with others: it claims the work of stopped ones, executes their requests, and sends
// them requests about operations that run there.
import { coalesce } from '@portico/async';
import { closeInterrupted } from './close-interrupted.js';
import type { Engine } from './engine.js';
import { servePeerCommands } from './peers/peer-commands.js';
import { noPeers } from './peers/peers.js';
import type { PlaneDeps } from './ports.js';
import type { Sampling } from './sampling/sampling.js';
import type { PlaneState } from './state/plane-state.js';

export interface Sharing {
  /** Closes the open work of stopped processes, and records it. */
  claim(): Promise<void>;
  /** Goes on with what was left, from now on also of those that go later, and does what others ask. */
  start(): void;
  /** Claims nothing any more, and has ended what it was at when it resolves. */
  stopClaiming(): Promise<void>;
  /** Does nothing for others any more. */
  stopServing(): void;
  /** Ends what a principal has in flight or waiting for approval under a request id, wherever. Whether there was anything. */
  cancel(principal: string, requestId: string): Promise<boolean>;
}

const retryMs = 1000;

export function createSharing(deps: PlaneDeps, engine: Engine, sampling: Sampling, state: () => PlaneState): Sharing {
  const { peers = noPeers, clock, log } = deps;
  const { approvals, tasks, peerCommands } = engine;
  const claim = async () => {
    await allEnded([closeInterrupted(deps, state()), sampling.claim(), deps.budgetAccounts.recover()]);
  };
  const recover = async () => {
    const done = await allEnded([approvals, sampling, tasks].map((part) => part.recover()));
    if (done.includes(false)) retry(); // each part of it is in the log
  };
  let ignoreGone = () => {};
  let stopServing = () => {};
  let cancelRetry = () => {};
  let hasFailed = false;
  const retry = () => {
    cancelRetry(); // one that a request came before
    cancelRetry = clock.after(retryMs, recovery.ask);
  };
  const recoverOrRetry = async () => {
    try {
      await claim();
      await recover();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log('error', 'recovering the work of a stopped process failed; it is tried again', { error });
      hasFailed = true;
      retry();
    }
  };
  const recovery = coalesce(recoverOrRetry);

  return {
    claim,
    start() {
      recovery.ask();
      const cancel = (principal: string, requestId: string) => cancelHere(engine, principal, requestId);
      const work = { cancel, cancelTask: tasks.cancel, respondToTask: tasks.respond };
      stopServing = servePeerCommands(peers, work, log);
      ignoreGone = peers.onGone(recovery.ask);
    },
    async stopClaiming() {
      ignoreGone();
      await recovery.done();
      cancelRetry();
    },
    stopServing: () => stopServing(),
    async cancel(principal, requestId) {
      const elsewhere = peerCommands.cancel(principal, requestId); // in any case: who waits here may wait for what runs there
      elsewhere.catch(() => {}); // reported below, and logged
      return (await cancelHere(engine, principal, requestId)) || elsewhere;
    },
  };
}

/** Waits for all of them, also where one fails. @throws the reason of the first that failed */
async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(work);
  return ended.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
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
