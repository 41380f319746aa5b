// Waiters for the writer: until a record is kept, or until there is room. All of them are rejected when the log is
// unavailable.

export interface Waiters {
  /** Resolves once the record of a position is kept. */
  untilKept(seq: number): Promise<void>;
  untilRoom(): Promise<void>;
  /** Records up to a position are kept. */
  kept(seq: number): void;
  room(): void;
  unavailable(reason: Error): void;
}

interface Waiter {
  readonly seq: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

export function createWaiters(): Waiters {
  let forRecords: Waiter[] = []; // positions ascend, since one waits for the newest
  let forRoom: Waiter[] = [];
  const wait = (list: Waiter[], seq: number) =>
    new Promise<void>((resolve, reject) => list.push({ seq, resolve, reject }));

  return {
    untilKept: (seq) => wait(forRecords, seq),
    untilRoom: () => wait(forRoom, 0),
    kept(seq) {
      const next = forRecords.findIndex((waiter) => waiter.seq > seq);
      for (const { resolve } of forRecords.splice(0, next < 0 ? forRecords.length : next)) resolve();
    },
    room() {
      for (const { resolve } of forRoom.splice(0)) resolve();
    },
    unavailable(reason) {
      const all = [...forRecords, ...forRoom];
      [forRecords, forRoom] = [[], []];
      for (const { reject } of all) reject(reason);
    },
  };
}
