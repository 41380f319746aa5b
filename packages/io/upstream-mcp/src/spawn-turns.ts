// Children are started one in a turn of the event loop: Node starts a process in the thread of the loop, so many at once
// would hold up everything else, such as the first requests after a start.
import { setImmediate } from 'node:timers/promises';

/** Resolves when it is the caller's turn, in the order of the calls. */
export type SpawnTurn = () => Promise<void>;

export function createSpawnTurns(): SpawnTurn {
  let next: Promise<void> = Promise.resolve();
  return () => {
    const own = next;
    next = own.then(() => setImmediate());
    return own;
  };
}
