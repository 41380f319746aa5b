// The shared memory of the event loop and the watchdog. tools/e2e/src/hostile-schemas.e2e.ts shows that a stalled
// process is ended.
import { describe, expect, it } from 'vitest';
import { createHeartbeat, layout } from './heartbeat.js';
import { createWatchdog } from './watchdog.js';

function readable() {
  const heartbeat = createHeartbeat();
  const words = new Int32Array(heartbeat.memory, 0, layout.text / 4);
  const text = () =>
    new TextDecoder().decode(new Uint8Array(heartbeat.memory, layout.text).slice(0, words[layout.textBytes]));
  return { ...heartbeat, words, text };
}

describe('a heartbeat', () => {
  it('counts the beats, and has the limit of the last', () => {
    const { beat, words } = readable();
    beat(30_000);
    beat(5_000);
    expect([words[layout.beats], words[layout.limitMs], words[layout.isStopping]]).toEqual([2, 5_000, 0]);
  });

  it('shows what is about to be done until that has ended', () => {
    const { stages, text } = readable();
    stages.enter('checking arguments', 's.tool');
    expect(text()).toBe('checking arguments\ns.tool');
    stages.leave();
    expect(text()).toBe('');
  });

  it('cuts an id that is longer than its memory at a whole character', () => {
    const { stages, text } = readable();
    stages.enter('checking arguments', '\u{1F600}'.repeat(1000));
    expect(text()).toMatch(/^checking arguments\n\u{1F600}{200,}$/u);
  });

  it('says that the process stops', () => {
    const { stopping, words } = readable();
    stopping();
    expect(words[layout.isStopping]).toBe(1);
  });
});

describe('a watchdog', () => {
  it('that has not started yet is closed without a thread', async () => {
    const watchdog = createWatchdog(() => {});
    watchdog.watch(() => 30_000);
    await watchdog.close();
  });
});
