// Watches of one server: the requests that its session gets, and how often.
import { expect, test } from 'vitest';
import { createManualClock } from './manual-clock.js';
import { createResourceWatches, createWatchedResources } from './resource-watches.js';
import type { UpstreamSession } from './session.js';

function start() {
  const asked: (readonly string[])[] = [];
  const answers: (() => void)[] = [];
  const session = {
    watchResources: (uris: readonly string[]) => {
      asked.push(uris);
      return new Promise<void>((resolve) => answers.push(resolve));
    },
  } as unknown as UpstreamSession; // only this of it is used here
  const clock = createManualClock();
  const watched = createWatchedResources();
  const watches = createResourceWatches(watched, clock, new AbortController().signal, () => {});
  const answer = async () => {
    answers.shift()?.();
    await clock.advance(0);
  };
  return { asked, session, watched, watches, clock, answer };
}

test('a server gets one request for many resources that are watched at once, and one more for changes in between', async () => {
  const { asked, session, watched, watches, clock, answer } = start();
  watches.follow(session);
  const stops = ['a', 'b', 'c'].map((uri) => watched.add(uri));
  await clock.advance(0);
  expect(asked).toEqual([['a', 'b', 'c']]);
  for (const stop of stops) stop();
  watched.add('d');
  await clock.advance(0);
  expect(asked).toHaveLength(1); // it has not answered yet
  await answer();
  expect(asked).toEqual([['a', 'b', 'c'], ['d']]);
  await answer();
  expect(asked).toHaveLength(2);
});

test('the next session gets all of them', async () => {
  const { asked, session, watched, watches, clock } = start();
  watched.add('a');
  await clock.advance(0);
  expect(asked).toEqual([]);
  watches.follow(session);
  await clock.advance(0);
  expect(asked).toEqual([['a']]);
});
