// The young generation of V8's heap doubles while much survives in it, and does not shrink again in an idle Node process.
// A start keeps nearly all that it makes, so it would leave behind room that little later work needs.
import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';

/** Holds the young generation of the whole process. */
export interface YoungGenerationHold {
  /** Holds it on while a thread starts, since V8 sets the flag back with each heap that it makes. */
  keepBeside(thread: Pick<Worker, 'once'>): void;
  /** Safe to call twice. */
  release(): void;
}

/** A hold that is not released is over after this. */
export const longestHoldMs = 60_000;
const renewalMs = 1;

/**
 * Keeps the young generation as large as it is until it is released, which another hold may do as well. For a short
 * time only: while a flag differs, Node rejects the compiled code of its own modules, and those that are loaded then
 * take longer. Where the process was started with sizes of its own, those hold.
 */
export function holdYoungGeneration(flags: readonly string[] = flagsOfProcess()): YoungGenerationHold {
  if (flags.some((flag) => /semi[-_]space/.test(flag))) return { keepBeside() {}, release() {} };
  let isHeld = true;
  const renew = () => {
    if (isHeld) setGrowthFactor(1);
  };
  renew();
  return {
    keepBeside(thread) {
      const renewing = setInterval(renew, renewalMs).unref();
      const end = () => clearInterval(renewing);
      thread.once('online', () => {
        end();
        renew();
      });
      thread.once('exit', end);
    },
    release() {
      isHeld = false;
      setGrowthFactor(2); // V8's own
    },
  };
}

function flagsOfProcess(): readonly string[] {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
}

/** V8 reads this flag each time that it is about to enlarge the young generation. */
function setGrowthFactor(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
