import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { serveScenarios } from './serve-scenarios.js';

type Play = Parameters<typeof serveScenarios>[1];

async function serve(atOnce: number, play: Play): Promise<(name: string) => Socket> {
  const server = await serveScenarios(atOnce, play);
  onTestFinished(() => server.close());
  return (name) => {
    const socket = connect(Number(server.env.PORTICO_SCENARIOS_PORT), '127.0.0.1').on('error', () => {});
    const scenario = { url: 'http://localhost:1/mcp', name, revision: '2025-11-25', context: {} };
    socket.write(`${JSON.stringify(scenario)}\n`);
    return socket;
  };
}

it('plays as many at a time as it may, and the next when one is over', async () => {
  const playing = new Map<string, () => void>();
  const play: Play = ({ name }) => new Promise((resolve) => playing.set(name, resolve));
  const ask = await serve(2, play);
  const answers = ['a', 'b', 'c'].map((name) => text(ask(name)));
  await expect.poll(() => playing.size).toBe(2);
  const [first = ''] = playing.keys();
  playing.get(first)?.();
  expect(await answers[['a', 'b', 'c'].indexOf(first)]).toBe('ok\n');
  await expect.poll(() => playing.size).toBe(3);
  for (const end of playing.values()) end();
  expect(await Promise.all(answers)).toEqual(['ok\n', 'ok\n', 'ok\n']);
});

it('answers with what a scenario failed with', async () => {
  const ask = await serve(1, ({ name }) => Promise.reject(new Error(`${name} was refused`)));
  expect(await text(ask('sse-retry'))).toBe('sse-retry was refused\n');
});

it('ends the scenario of a connection that closes, and plays the next', async () => {
  const played: string[] = [];
  const untilAborted: Play = ({ name }, signal) =>
    new Promise((_resolve, reject) => {
      played.push(name);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const ask = await serve(1, untilAborted);
  const first = ask('first');
  await expect.poll(() => played).toEqual(['first']);
  ask('second');
  first.destroy();
  await expect.poll(() => played).toEqual(['first', 'second']);
});
