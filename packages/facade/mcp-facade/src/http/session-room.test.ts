// A new session takes the place of an idle one of the principal that has most.
import { expect, it } from 'vitest';
import { createSessionRoom, type RoomySession } from './session-room.js';

function start(limit: number) {
  const sessions = new Map<string, RoomySession>();
  const room = createSessionRoom(sessions, () => limit);
  let lastUsedMs = 0;
  const open = (principal: string, exchanges = 0) => {
    const giveBack = room.take(principal);
    if (giveBack === undefined) return undefined;
    lastUsedMs += 1;
    const id = `${principal}-${lastUsedMs}`;
    const leave = () => {
      sessions.delete(id);
      giveBack();
    };
    sessions.set(id, { caller: { principal }, transport: { close: async () => {} }, exchanges, lastUsedMs, leave });
    return id;
  };
  return { room, open, ids: () => [...sessions.keys()] };
}

it('ends the oldest idle session of a principal that has its share', () => {
  const { open, ids } = start(3);
  for (let n = 0; n < 5; n += 1) open('hog');
  expect(ids()).toEqual(['hog-3', 'hog-4', 'hog-5']);
});

it('never ends a session of a principal that has less', () => {
  const { open, ids } = start(4);
  open('ann');
  for (let n = 0; n < 20; n += 1) open('hog');
  expect(ids().filter((id) => id.startsWith('ann'))).toEqual(['ann-1']);
  for (let n = 0; n < 20; n += 1) open('bob');
  const count = (name: string) => ids().filter((id) => id.startsWith(name)).length;
  expect([count('ann'), count('hog'), count('bob')]).toEqual([1, 3, 2]);
});

it('refuses a session where those of its principal, and of the one that has most, are in use', () => {
  const { room, open, ids } = start(2);
  expect([open('hog', 1), open('hog', 1), open('hog')]).toEqual(['hog-1', 'hog-2', undefined]);
  expect([open('ann', 1), open('ann'), room.heldBy('hog'), ids().length]).toEqual(['ann-3', undefined, 2, 3]);
});
