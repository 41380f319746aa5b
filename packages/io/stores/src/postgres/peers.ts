// The other daemons on the same database, and what is asked of them: a row of `errands` for each command, with its answer in it.
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type JsonObject, parseJson } from '@portico/contracts';
import { type Log, type Peers, PeerUnresponsive } from '@portico/control-plane';
import type { StateDatabase } from '../database.js';
import { isAlive } from '../owners.js';
import { clockMs } from './lease.js';

/** How long a command may take. */
const limitMs = 20_000;
/** In case of a signal that is lost. */
const lookAgainMs = 1000;
/** Interval of the search for abandoned work, even if no daemon was seen to end. */
const sweepMs = 30_000;

/** Creates the messages between daemons that share one PostgreSQL database, and notices those that have stopped. */
export function createPeers(database: StateDatabase, log: Log): Peers {
  const { reads, write, owner, signals } = database;
  const answers = new EventEmitter().setMaxListeners(0);
  signals.on('errand', (subject) => {
    for (const answered of subject === undefined ? answers.eventNames() : [subject]) answers.emit(answered);
  });

  const answerOf = async (id: string): Promise<JsonObject | undefined> => {
    const row = await reads.selectFrom('errands').select('answer').where('id', '=', id).executeTakeFirst();
    return row?.answer == null ? undefined : (parseJson(row.answer) as JsonObject); // `finish` wrote it
  };

  const untilAnswered = async (daemon: string, id: string): Promise<JsonObject> => {
    const limit = AbortSignal.timeout(limitMs);
    for (;;) {
      const over = new AbortController();
      const until = { signal: AbortSignal.any([limit, over.signal]) };
      const woken = Promise.race([
        once(answers, `answer ${id}`, until),
        setTimeout(lookAgainMs, undefined, { ...until, ref: false }),
      ]).catch(() => {});
      try {
        const isThere = await isAlive(reads, daemon); // asked first: an answer may be the last that it did
        const answer = await answerOf(id);
        if (answer !== undefined) return answer;
        if (!isThere) throw new PeerUnresponsive('it has ended, or has been silent for too long');
        if (limit.aborted) throw new PeerUnresponsive(`it has not answered for ${limitMs / 1000} s`);
        await woken;
      } finally {
        over.abort();
      }
    }
  };

  return {
    async others() {
      const rows = await reads.selectFrom('daemons').select('id').where('id', '!=', owner).orderBy('id').execute();
      return rows.map(({ id }) => id);
    },
    async ask(daemon, command) {
      const id = randomUUID();
      await write(async (trx) => {
        const row = { id, daemon, request: JSON.stringify(command), answer: null };
        await trx
          .insertInto('errands')
          .values((eb) => ({ ...row, expires_at_ms: eb(clockMs, '+', limitMs) }))
          .execute();
        await signals.send(trx, 'errand', `for ${daemon}`);
      });
      try {
        return await untilAnswered(daemon, id);
      } finally {
        await write((trx) => trx.deleteFrom('errands').where('id', '=', id).execute()).catch(() => {}); // it expires
      }
    },
    serve: (work) => serve(database, log, work),
    onGone(listener) {
      const again = setInterval(listener, sweepMs).unref();
      const ignore = signals.on('gone', listener);
      return () => {
        clearInterval(again);
        ignore();
      };
    },
  };
}

/** Does what is asked of this daemon; see `Peers`. */
function serve(
  { reads, write, owner, signals }: StateDatabase,
  log: Log,
  work: Parameters<Peers['serve']>[0],
): () => void {
  const taken = new Set<string>();
  const over = new AbortController();
  const pause = () => setTimeout(lookAgainMs, undefined, { ref: false, signal: over.signal });
  const finish = async (id: string, answer: JsonObject) => {
    await write(async (trx) => {
      const row = trx
        .updateTable('errands')
        .set({ answer: JSON.stringify(answer) })
        .where('id', '=', id);
      await row.where('answer', 'is', null).execute();
      await signals.send(trx, 'errand', `answer ${id}`);
    });
  };
  /** The answer is written as long as the sender waits for it. */
  const answer = async (id: string, request: string): Promise<void> => {
    const limit = AbortSignal.timeout(limitMs);
    const result = await work(parseJson(request) as JsonObject); // `ask` wrote it
    for (;;) {
      try {
        return await finish(id, result);
      } catch (error) {
        if (limit.aborted || over.signal.aborted) throw error;
        await pause().catch(() => {}); // it is tried once more at the end
      }
    }
  };
  /** Remembered until the sender no longer waits, so that the request is executed once. */
  const take = (id: string) => {
    taken.add(id);
    setTimeout(2 * limitMs, undefined, { ref: false }).then(() => taken.delete(id));
  };
  const look = async () => {
    const rows = await reads
      .selectFrom('errands')
      .select(['id', 'request'])
      .where('daemon', '=', owner)
      .where('answer', 'is', null)
      .where('expires_at_ms', '>', clockMs)
      .execute();
    for (const { id, request } of rows.filter((row) => !taken.has(row.id))) {
      take(id);
      answer(id, request).catch((error: unknown) =>
        log('error', 'what another daemon asked for could not be answered', { error }),
      );
    }
  };
  /** The sender may send no other signal. */
  const lookUntilRead = async (): Promise<void> => {
    for (let isRead = false; !isRead; ) {
      await pause();
      isRead = await look().then(
        () => true,
        () => false,
      );
    }
  };
  let trying: Promise<void> | undefined;
  const lookAll = () => {
    look().catch((error: unknown) => {
      if (trying !== undefined || over.signal.aborted) return;
      log('warn', 'what other daemons ask for could not be read; it is tried again', { error });
      trying = lookUntilRead()
        .catch(() => {}) // it is over
        .finally(() => {
          trying = undefined;
        });
    });
  };
  const own = `for ${owner}`;
  const ignore = signals.on('errand', (subject) => {
    if (subject === undefined || subject === own) lookAll();
  });
  lookAll(); // since this daemon lives, it may have been asked
  return () => {
    over.abort();
    ignore();
  };
}
