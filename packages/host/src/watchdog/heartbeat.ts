// Memory that the event loop shares with the watchdog, which reads it from a thread of its own: heartbeats, the limit
// of a stall, whether the process stops, and its current work. Never waits for the other side.
import type { Stages } from '@portico/control-plane';

/** Places in the words at the start of the memory, and where the text begins, in bytes. */
export const layout = Object.freeze({ beats: 0, limitMs: 1, isStopping: 2, textBytes: 3, text: 16 });

const memoryBytes = 1024;

export interface Heartbeat {
  readonly memory: SharedArrayBuffer;
  readonly stages: Stages;
  /** Shows that the loop runs. @param limitMs how long it may stand still from now on; 0 for no limit */
  beat(limitMs: number): void;
  /** From now on the limit is that of the whole stop as well. */
  stopping(): void;
}

export function createHeartbeat(): Heartbeat {
  const memory = new SharedArrayBuffer(memoryBytes);
  const words = new Int32Array(memory, 0, layout.text / Int32Array.BYTES_PER_ELEMENT);
  const text = new Uint8Array(memory, layout.text);
  const encoder = new TextEncoder();
  return {
    memory,
    stages: {
      enter(stage, capability) {
        // `encodeInto` cuts what does not fit, at a whole character.
        words[layout.textBytes] = encoder.encodeInto(`${stage}\n${capability}`, text).written;
      },
      leave() {
        words[layout.textBytes] = 0;
      },
    },
    beat(limitMs) {
      words[layout.limitMs] = limitMs;
      Atomics.add(words, layout.beats, 1);
    },
    stopping: () => void Atomics.store(words, layout.isStopping, 1),
  };
}
