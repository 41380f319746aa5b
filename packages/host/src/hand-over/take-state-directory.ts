// Takes a state directory. A daemon that finds it with a stdio server, which holds it only until there is a daemon, asks
// for it on the service socket, and the stdio server becomes a client of the daemon.
import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/control-plane';
import {
  claimStateDirectory,
  openStateDirectory,
  readClaimant,
  type StateDirectory,
  StateDirectoryInUse,
} from '@portico/stores';
import type { Tenure } from '../host-options.js';
import { isHandedOver } from './ask-for-state.js';

/** Several processes may hold it for a while, and each has to answer its running calls. */
const patienceMs = 30_000;
const betweenAttemptsMs = 50;

/** @throws StateDirectoryError; StateDirectoryInUse names the process that has it */
export async function takeStateDirectory(path: string, tenure: Tenure | undefined, log: Log): Promise<StateDirectory> {
  if (tenure === 'interim') return takeForAWhile(path);
  try {
    return await openStateDirectory(path);
  } catch (error) {
    if (tenure !== 'owner' || !(error instanceof StateDirectoryInUse) || !error.holder.handsOver) throw error;
    return succeed(path, log);
  }
}

/** It is left to an owner who is about to take it. */
async function takeForAWhile(path: string): Promise<StateDirectory> {
  const claimant = await readClaimant(path);
  if (claimant !== null) throw new StateDirectoryInUse(path, { pid: claimant, handsOver: false });
  return openStateDirectory(path, { handsOver: true });
}

/** Until this is over no other takes it: neither a second owner that has to ask, nor the clients of the holder. */
async function succeed(path: string, log: Log): Promise<StateDirectory> {
  const release = await claimStateDirectory(path);
  const giveUpAtMs = performance.now() + patienceMs;
  try {
    for (;;) {
      const taken = await openStateDirectory(path).catch(holderIn); // the previous holder may have given it to another process
      if (!(taken instanceof StateDirectoryInUse)) return taken;
      const { pid, handsOver } = taken.holder;
      if (!handsOver || performance.now() > giveUpAtMs) throw taken;
      log('info', 'asking the process that has the state directory to hand it over', { holder: pid });
      if (!(await isHandedOver(path, pid))) await setTimeout(betweenAttemptsMs); // it is about to listen, or to end
    }
  } finally {
    await release();
  }
}

function holderIn(error: unknown): StateDirectoryInUse {
  if (error instanceof StateDirectoryInUse) return error;
  throw error;
}
