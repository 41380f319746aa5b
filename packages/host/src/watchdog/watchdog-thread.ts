// The thread that watches the event loop, as the text of a script: a worker that is made of text needs no file, in a
// bundle or in a package. It counts its own turns, so that a process that was suspended has not stood still.
import { layout } from './heartbeat.js';

/** How often it looks, and how often the loop is to have shown itself. */
export const tickMs = 500;

/** Reads a heartbeat from `workerData`, and ends the process by SIGKILL, which a loop that stands still cannot delay. */
export const watchdogThread = `'use strict';
const { writeSync } = require('node:fs');
const { workerData } = require('node:worker_threads');
const words = new Int32Array(workerData, 0, ${layout.text / 4});
const text = new Uint8Array(workerData, ${layout.text});
let seen = 0;
let stillMs = 0;
let stoppingMs = 0;
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
  if (Atomics.load(words, ${layout.isStopping}) === 1) stoppingMs += passedMs;
  if (limitMs === 0) return;
  if (stillMs >= limitMs) return end('the event loop stands still for longer than limits.maxStallMs: the process is ended', stillMs, limitMs);
  if (stoppingMs >= limitMs) return end('the stop takes longer than limits.maxStallMs: the process is ended', stoppingMs, limitMs);
  if (hasWarned || stillMs < limitMs / 3) return;
  hasWarned = true;
  write('warn', 'the event loop stands still', stillMs, limitMs);
}, ${tickMs});
`;
