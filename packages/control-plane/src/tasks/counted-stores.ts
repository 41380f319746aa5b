// The ledger and the tasks, with their stored size counted by principal. A call beyond the limit is refused before
// anything is sent.
import type { Ledger, LedgerRecord } from '@portico/idempotency';
import { type KeptRoom, recordCharacters } from '../waiting/kept-room.js';
import { taskTtlMs } from './task.js';
import type { TaskStore } from './task-store.js';

/** A ledger whose `begin` rejects with CallFailure POLICY_DENIED where the principal has all of its share. */
export function createCountedLedger(ledger: Ledger, room: KeptRoom): Ledger {
  const intents = new Map<string, () => void>(); // those that were begun here and are open, with what ends their count
  const idOf = (scope: string, key: string) => JSON.stringify([scope, key]);
  const settle = (scope: string, key: string) => {
    const id = idOf(scope, key);
    intents.get(id)?.();
    intents.delete(id);
  };

  const begin = async (intent: Parameters<Ledger['begin']>[0]): Promise<LedgerRecord | undefined> => {
    const release = room.take(intent.scope);
    let isBegun = false;
    try {
      const found = await ledger.begin(intent);
      isBegun = found === undefined;
      if (isBegun) intents.set(idOf(intent.scope, intent.key), release);
      return found;
    } finally {
      if (!isBegun) release();
    }
  };

  return {
    ...ledger,
    begin,
    async complete(scope, key, outcome) {
      let characters = recordCharacters; // what stays of it where its outcome could not be written
      try {
        await ledger.complete(scope, key, outcome);
        characters += outcome.response.length;
      } finally {
        settle(scope, key);
        room.add({ principal: scope, characters, untilMs: outcome.expiresAtMs });
      }
    },
    forget: (scope, key) => ledger.forget(scope, key).finally(() => settle(scope, key)),
  };
}

/** A task store that counts what it is given. */
export function createCountedTasks(store: TaskStore, room: KeptRoom): TaskStore {
  return {
    ...store,
    async add(task) {
      await store.add(task);
      room.add({ principal: task.principal, characters: recordCharacters, untilMs: task.createdAtMs + taskTtlMs });
    },
    async change(id, change) {
      const task = await store.change(id, change);
      const { result } = change;
      if (task !== undefined && result !== undefined && result !== null) {
        const untilMs = task.createdAtMs + taskTtlMs;
        room.add({ principal: task.principal, characters: result.length, untilMs });
      }
      return task;
    },
  };
}

/** Counts what the stores hold from before: by bytes, which they know without reading the texts. */
export async function countWhatIsKept(
  { ledger, tasks }: { readonly ledger: Ledger; readonly tasks: TaskStore },
  room: KeptRoom,
  nowMs: number,
): Promise<void> {
  for (const { scope, records, bytes, expiresAtMs } of await ledger.sizes(nowMs)) {
    room.add({ principal: scope, characters: bytes + records * recordCharacters, untilMs: expiresAtMs });
  }
  for (const { principal, tasks: count, bytes, createdAtMs } of await tasks.sizes()) {
    room.add({ principal, characters: bytes + count * recordCharacters, untilMs: createdAtMs + taskTtlMs });
  }
}
