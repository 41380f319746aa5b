// Ends a process whose event loop stands still, which nothing inside that loop can. Durable data is complete then, as
// after any SIGKILL, and the children end with the process.
import { Worker } from 'node:worker_threads';
import type { Log, Stages } from '@portico/control-plane';
import { createHeartbeat, type Heartbeat } from './heartbeat.js';
import { findSignalPipe } from './signal-pipe.js';
import { tickMs, type WatchdogData, watchdogThread } from './watchdog-thread.js';

export interface Watchdog {
  /** Where the process leaves what it is about to do, watched or not. */
  readonly stages: Stages;
  /**
   * Begins to watch this process, soon.
   * @param limitMs asked at every beat: how long it may stand still; 0 for no limit
   * @param onThread called when the thread that watches begins to start
   */
  watch(limitMs: () => number, onThread?: (thread: Worker) => void): void;
  /** From now on the process has to end within the limit. */
  stopping(): void;
  close(): Promise<void>;
}

/** A process that has just started has more important things to do, and one that ends at once needs no watchdog. */
const startAfterMs = 2000;
/** Limits of its heap: it keeps no more than a line of the log. */
const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 4, stackSizeMb: 1 };

export function createWatchdog(log: Log): Watchdog {
  const heartbeat = createHeartbeat();
  let timer: NodeJS.Timeout | undefined;
  let thread: Worker | undefined;

  const start = (limitMs: () => number, onThread: (thread: Worker) => void) => {
    let isStarted = false;
    const beat = () => {
      const limit = limitMs();
      heartbeat.beat(limit);
      if (isStarted || limit === 0) return;
      isStarted = true; // once, also where it cannot start
      thread = startThread(heartbeat, log);
      if (thread !== undefined) onThread(thread);
    };
    beat();
    timer = setInterval(beat, tickMs).unref();
  };
  return {
    stages: heartbeat.stages,
    watch(limitMs, onThread = () => {}) {
      timer ??= setTimeout(start, startAfterMs, limitMs, onThread).unref();
    },
    stopping: heartbeat.stopping,
    async close() {
      clearInterval(timer); // of a time-out as well
      await thread?.terminate();
    },
  };
}

/** Without the flags and the environment of the process: no other code runs in it. It keeps no process alive. */
function startThread({ memory }: Heartbeat, log: Log): Worker | undefined {
  try {
    const data: WatchdogData = { memory, signalPipe: findSignalPipe() };
    const thread = new Worker(watchdogThread, {
      eval: true,
      workerData: data,
      execArgv: [],
      env: {},
      resourceLimits,
    });
    const seesSignals = data.signalPipe !== undefined;
    thread.on('online', () => log('debug', 'the watchdog watches the event loop', { sees_signals: seesSignals }));
    thread.on('error', (error) => log('warn', 'the watchdog has ended: a stalled process is not ended', { error }));
    thread.unref();
    return thread;
  } catch (error) {
    log('warn', 'the watchdog cannot start: a stalled process is not ended', { error });
    return undefined;
  }
}
