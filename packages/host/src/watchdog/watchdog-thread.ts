// The thread that watches the event loop, as the text of a script: a worker that is made of text needs no file, in a
// bundle or in a package. It counts its own turns, so that a process that was suspended has not stood still.
import { constants } from 'node:os';
import { layout } from './heartbeat.js';
import { peekedBytes, type SignalPipe, signalMessage } from './signal-pipe.js';

/** How often it looks, and how often the loop is to have shown itself. */
export const tickMs = 500;

/** How long the loop may stand still once the process is to stop: as long as a stop lets calls finish. */
export const stopStallMs = 5000;

/** Input of the thread. */
export interface WatchdogData {
  readonly memory: SharedArrayBuffer;
  /** Undefined if it cannot be found: a signal has no effect then before the loop turns. */
  readonly signalPipe: SignalPipe | undefined;
}

const { SIGINT, SIGTERM } = constants.signals;

/** Reads a heartbeat from `workerData`, and ends the process by SIGKILL, which a loop that stands still cannot delay. */
export const watchdogThread = `'use strict';
const { readSync, writeSync } = require('node:fs');
const { memory, signalPipe } = require('node:worker_threads').workerData;
const words = new Int32Array(memory, 0, ${layout.text / 4});
const text = new Uint8Array(memory, ${layout.text});
let seen = 0;
let stillMs = 0;
let stoppingMs = 0;
let unheardMs = 0; // since a stop signal came that the loop has not seen
let hasWarned = false;
let lookedAtMs = performance.now();

function write(level, message, ms, limitMs) {
  const [stage, capability] = new TextDecoder().decode(text.slice(0, Atomics.load(words, ${layout.textBytes}))).split('\\n');
  const what = capability === undefined ? {} : { stage, capability_id: capability };
  const line = { level, time: new Date().toISOString(), ...what, stalled_ms: Math.round(ms), limit_ms: limitMs, message };
  try {
    writeSync(2, JSON.stringify(line) + '\\n');
  } catch {}
}

/** Whether a stop signal waits for the loop: what is read from the pipe is put back for it. */
function isAskedToStop() {
  if (signalPipe === undefined) return false;
  const found = Buffer.alloc(${peekedBytes});
  try {
    const length = readSync(signalPipe.readFd, found, 0, found.length, null);
    writeSync(signalPipe.writeFd, found, 0, length);
    for (let at = 0; at + ${signalMessage.bytes} <= length; at += ${signalMessage.bytes}) {
      const signal = found.readInt32LE(at + ${signalMessage.signalAt});
      if (signal === ${SIGTERM} || signal === ${SIGINT}) return true;
    }
  } catch {} // it is empty
  return false;
}

function end(message, ms, limitMs) {
  write('error', message, ms, limitMs);
  process.kill(process.pid, 'SIGKILL');
}

setInterval(() => {
  const now = performance.now();
  const sinceMs = now - lookedAtMs;
  const passedMs = sinceMs > ${4 * tickMs} ? 0 : Math.min(sinceMs, ${2 * tickMs}); // it was suspended itself
  lookedAtMs = now;
  const beats = Atomics.load(words, ${layout.beats});
  const limitMs = Atomics.load(words, ${layout.limitMs});
  stillMs = beats === seen ? stillMs + passedMs : 0;
  if (stillMs === 0) hasWarned = false;
  seen = beats;
  const isStopping = Atomics.load(words, ${layout.isStopping}) === 1;
  if (isStopping) stoppingMs += passedMs;
  unheardMs = stillMs > 0 && (isStopping || isAskedToStop()) ? unheardMs + passedMs : 0;
  if (limitMs === 0) return;
  if (unheardMs >= Math.min(limitMs, ${stopStallMs})) return end('the process is to stop, and its event loop stands still for longer than ${stopStallMs} ms (a fixed limit) or limits.maxStallMs: the process is ended', unheardMs, Math.min(limitMs, ${stopStallMs}));
  if (stillMs >= limitMs) return end('the event loop stands still for longer than limits.maxStallMs: the process is ended', stillMs, limitMs);
  if (stoppingMs >= limitMs) return end('the stop takes longer than limits.maxStallMs: the process is ended', stoppingMs, limitMs);
  if (hasWarned || stillMs < limitMs / 3) return;
  hasWarned = true;
  write('warn', 'the event loop stands still', stillMs, limitMs);
}, ${tickMs});
`;
