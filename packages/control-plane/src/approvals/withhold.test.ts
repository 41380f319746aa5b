// The question at the moment of sending is asked again by a pool of processes, after its own wait for a free process.
import type { MemoryServer } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import { author } from '../testing/start-configured.js';
import { call, serverOf, startGranted } from '../testing/start-granted.js';
import { tool } from '../testing/start-plane.js';

/** A plane whose calls wait in the pool of their server; `asked` has the answers to the second question. */
async function startWaiting() {
  const asked: (string | undefined)[] = [];
  const waits = { during: (): unknown => undefined };
  const server: MemoryServer = {
    ...serverOf(),
    async handle({ withhold }) {
      await waits.during();
      asked.push(withhold?.());
      return { content: [] };
    },
  };
  return { ...(await startGranted({}, server)), asked, waits };
}

it('a call of a grant that is revoked while it waits there is withheld', async () => {
  const { grant, outcome, plane, asked, waits } = await startWaiting();
  const id = await grant();
  waits.during = () => plane.grants.revoke(id, author);
  await outcome(call());
  expect(asked).toEqual([undefined, `grant ${id} was revoked, and nothing was sent`]);
});

it('an approved call whose definition changes while it waits there is withheld', async () => {
  const { ask, plane, server, clock, asked, waits } = await startWaiting();
  const id = await ask();
  waits.during = () => {
    server('s').change({ tools: [tool('push', { description: 'other' })] });
    return clock.advance(0);
  };
  await plane.approvals.approve(id, 'eve', null);
  expect(asked).toEqual([expect.stringContaining(`is not the one that approval ${id} was given for`)]);
});

it('a grant of an approval that was not given after all answers no call', async () => {
  const { ask, plane, server, clock, waits, ranOf } = await startWaiting();
  const id = await ask();
  const list = (description: string) => {
    server('s').change({ tools: [tool('push', { description })] });
    return clock.advance(1000);
  };
  waits.during = () => {
    waits.during = () => undefined;
    return list('other');
  };
  const grant = { ttlSecs: 600, uses: 3, by: author };
  expect(await plane.approvals.approve(id, 'eve', null, { grant })).toMatchObject({ kind: 'definition_changed' });
  await plane.approvals.reject(id, 'eve', null);
  server('s').change(serverOf().definitions ?? {});
  await clock.advance(1000);
  expect(await ranOf()).toBe(false);
});
