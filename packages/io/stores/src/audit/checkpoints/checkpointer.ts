// Signs the head of the log: after a number of records, after an interval, and at the stop. It never signs on the path
// of a call, and makes one signature at a time. A failed signature is tried again later and delays no write.
import type { Head } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { messageOf } from '../../files.js';
import { createAlarm } from '../alarm.js';
import type { AuditClock } from '../clock.js';
import type { CheckpointStore } from './checkpoint-store.js';
import type { Signer } from './signing-key.js';

/** When checkpoints are signed, and with what. */
export interface SigningOptions {
  readonly openSigner: () => Promise<Signer>;
  readonly checkpointRecords: number;
  readonly checkpointIntervalMs: number;
}

export interface CheckpointerDeps extends SigningOptions {
  readonly store: CheckpointStore;
  readonly clock: AuditClock;
  readonly log: Log;
  /** Resolves when what is kept is on disk, so that no checkpoint names a record that a power loss takes. */
  readonly sync: () => Promise<void>;
  readonly head: () => Head;
  /** The chain that the head belongs to. */
  readonly chainId: () => Promise<string>;
}

export interface Checkpointer {
  /** Records were kept. */
  kept(): void;
  /** Position that the last signature of this process covers; 0 for none. */
  signedSeq(): number;
  /** Signs the end of the log. */
  close(): Promise<void>;
}

export function createCheckpointer(deps: CheckpointerDeps): Checkpointer {
  const { store, clock, log, checkpointRecords, checkpointIntervalMs } = deps;
  let signer: Promise<Signer> | undefined;
  let signedSeq = 0;
  let dueSeq = 0; // the first record that no signature covers, as far as it is known
  let isReported = false;
  let working: Promise<void> | undefined;

  const open = async (): Promise<Signer> => {
    const last = await store.mend();
    const opened = await deps.openSigner();
    const isOurs = last === undefined || (last.chain_id === (await deps.chainId()) && last.seq <= deps.head().seq);
    if (!isOurs)
      log('warn', 'the signed checkpoints of the audit log are of another log, or the log was cut; verify it', {
        ...store.named,
      });
    return opened;
  };

  const sign = async () => {
    const { seq, hash } = deps.head();
    if (seq === signedSeq || seq === 0) return;
    signer ??= open();
    const { sign } = await signer;
    await deps.sync();
    const time = new Date(clock.epochMs()).toISOString();
    await store.append(sign({ chain_id: await deps.chainId(), seq, hash, time }));
    signedSeq = seq;
    dueSeq = seq;
    isReported = false;
  };

  const work = async () => {
    alarm.stop();
    try {
      await sign();
    } catch (error) {
      signer = undefined; // the next one tries again
      if (!isReported) log('warn', 'the audit log cannot be signed', { ...store.named, reason: messageOf(error) });
      isReported = true;
      alarm.start();
    } finally {
      working = undefined;
    }
  };

  const start = () => {
    working ??= work();
  };
  const alarm = createAlarm(clock, checkpointIntervalMs, start);
  let isSeen = false;

  return {
    kept() {
      const { seq } = deps.head();
      if (!isSeen) dueSeq = seq - 1;
      isSeen = true;
      alarm.start();
      if (seq - dueSeq < checkpointRecords || isReported) return; // what fails is tried by the alarm
      dueSeq = seq;
      start();
    },
    signedSeq: () => signedSeq,
    async close() {
      await working;
      alarm.stop();
      start();
      await working;
      alarm.stop();
    },
  };
}
