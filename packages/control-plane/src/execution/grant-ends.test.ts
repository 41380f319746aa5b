// The end of grants: also between the start of a call and its sending, where nothing is sent and a person is asked.
import { describe, expect, it } from 'vitest';
import { author } from '../testing/start-configured.js';
import { breakRecords, call, startGranted, usesCounted } from '../testing/start-granted.js';
import { tool } from '../testing/start-plane.js';

type Started = Awaited<ReturnType<typeof startGranted>>;
const isRevoked = { kind: 'revoked', grant: { state: 'revoked' } };

function failed(): never {
  throw new Error('there is no such grant');
}

/** Runs something around the next use that is taken. */
function aroundTake({ grantStore }: Started, on: { readonly before?: () => unknown; readonly after?: () => unknown }) {
  const { take } = grantStore;
  Object.assign(grantStore, {
    take: async (...given: Parameters<typeof take>) => {
      Object.assign(grantStore, { take });
      await on.before?.();
      const isTaken = await take(...given);
      await on.after?.();
      return isTaken;
    },
  });
}

describe('a grant answers nothing any more', () => {
  it('when its time is over, or the clock was set back', async () => {
    const { grant, ranOf, clock, plane } = await startGranted();
    await clock.advance(5000);
    const id = await grant({ ttlSecs: 10 });
    expect(await ranOf()).toBe(true);
    const { epochMs } = clock;
    Object.assign(clock, { epochMs: () => 0 });
    expect(await ranOf()).toBe(false);
    Object.assign(clock, { epochMs });
    expect(await ranOf()).toBe(true);
    await clock.advance(10_000);
    expect(await ranOf()).toBe(false);
    expect(await plane.grants.get(id)).toMatchObject({ state: 'expired' });
  });

  it('when it is revoked, once', async () => {
    const { grant, ranOf, plane, audit } = await startGranted();
    const id = await grant();
    expect(await plane.grants.revoke(id, author)).toMatchObject({ kind: 'revoked', grant: { state: 'revoked' } });
    expect(await ranOf()).toBe(false);
    expect(await plane.grants.revoke(id, author)).toMatchObject({ kind: 'ended' });
    expect(await plane.grants.revoke('grant-0-9', author)).toEqual({ kind: 'unknown' });
    const actions = audit.kept().map(({ details }) => details?.action);
    expect(actions.filter((action) => action === 'grant_revoked')).toHaveLength(1);
  });

  type Happens = (started: Started, id: string) => unknown;
  it.each<[string, 'before' | 'after', Happens]>([
    ['it is revoked', 'after', ({ plane }, id) => plane.grants.revoke(id, author)],
    [
      'the definition changes',
      'after',
      ({ server, clock }) => {
        server('s').change({ tools: [tool('push', { description: 'other' })] });
        return clock.advance(0);
      },
    ],
    [
      'the policy changes',
      'after',
      ({ configuration, settled }) => settled(configuration.mergePolicy(author, { deny: ['t.*'] })),
    ],
    ['its time ends', 'after', ({ clock }) => clock.advance(10_000)],
    ['the last use is taken', 'before', ({ grantStore }, id) => grantStore.take(id, 0)],
  ])('when %s between the start of a call and its sending: a person is asked', async (_what, when, happens) => {
    for (const idempotencyKey of ['k', null]) {
      const started = await startGranted();
      const { grant, outcome, contacts, audit } = started;
      const id = await grant({ uses: when === 'before' ? 1 : 2, ttlSecs: 10 });
      aroundTake(started, { [when]: () => happens(started, id) });
      expect(await outcome(call({ idempotencyKey }))).toMatchObject({ kind: 'pending' });
      expect(contacts()).toHaveLength(1);
      expect(audit.kept().filter(({ grant_id }) => grant_id !== undefined)).toEqual([]);
      expect(usesCounted(started)).toBe(0);
    }
  });

  it('when its last use is taken and it is revoked before the sending', async () => {
    const started = await startGranted();
    const { grant, outcome, contacts, plane } = started;
    const id = await grant({ uses: 1 });
    aroundTake(started, { after: async () => expect(await plane.grants.revoke(id, author)).toMatchObject(isRevoked) });
    expect(await outcome(call())).toMatchObject({ kind: 'pending' });
    expect(contacts()).toHaveLength(1);
    expect(await plane.grants.revoke(id, author)).toMatchObject({ kind: 'ended', grant: { state: 'revoked' } });
  });

  it('when it is revoked and that cannot be recorded', async () => {
    const started = await startGranted();
    const { grant, outcome, contacts, plane } = started;
    const id = await grant();
    aroundTake(started, {
      async after() {
        const repair = breakRecords(started, 'grant_revoked');
        await expect(plane.grants.revoke(id, author)).rejects.toThrow('disk full');
        repair();
      },
    });
    expect(await outcome(call())).toMatchObject({ kind: 'pending' });
    expect(contacts()).toHaveLength(1);
  });

  it('but the next one does, if it is revoked while its use is being taken', async () => {
    const started = await startGranted();
    const { grant, grantStore, ranOf, plane } = started;
    const first = await grant();
    const made = (await grantStore.get(first)) ?? failed();
    const { id: second } = await grantStore.add({ ...made, expiresAtMs: made.expiresAtMs + 1 });
    aroundTake(started, { before: () => plane.grants.revoke(first, author) });
    expect(await ranOf()).toBe(true);
    expect(await plane.grants.get(second)).toMatchObject({ uses_left: 2 });
    expect(usesCounted(started)).toBe(1);
  });

  it('and a repeat that joined its call waits for the same person', async () => {
    const started = await startGranted();
    const { grant, outcome, plane, contacts } = started;
    const id = await grant({ uses: 9 });
    const keyed = call({ idempotencyKey: 'k' });
    let repeat: ReturnType<typeof outcome> | undefined;
    aroundTake(started, {
      async after() {
        repeat = outcome(keyed);
        for (let turns = 0; turns < 50; turns += 1) await Promise.resolve(); // it joins the call
        await plane.grants.revoke(id, author);
      },
    });
    const [first, joined] = [await outcome(keyed), await repeat];
    expect([first.kind, joined?.kind]).toEqual(['pending', 'pending']);
    expect(joined?.envelope.error?.approval_id).toBe(first.envelope.error?.approval_id);
    expect(contacts()).toHaveLength(1);
  });

  it('when the store fails, and nothing is sent', async () => {
    const { grant, outcome, grantStore, contacts } = await startGranted();
    await grant();
    for (const method of ['take', 'find'] as const) {
      Object.assign(grantStore, { [method]: () => Promise.reject(new Error('disk full')) });
      const { error } = (await outcome(call())).envelope;
      expect(error).toMatchObject({ code: 'INTERNAL_ERROR', message: expect.stringContaining('disk full') });
    }
    expect(contacts()).toHaveLength(1);
  });

  it('when the policy changes, its limits or another rule', async () => {
    const { grant, ranOf, plane, configuration, settled } = await startGranted();
    const id = await grant();
    await settled(configuration.mergePolicy(author, { deny: ['t.*'] }));
    expect(await ranOf()).toBe(false);
    expect(await plane.grants.get(id)).toMatchObject({ state: 'void', void_reason: 'policy_changed' });
    expect((await plane.grants.list({ state: 'active', limit: 9, offset: 0 })).total).toBe(0);
    expect((await plane.grants.list({ state: 'ended', limit: 9, offset: 0 })).grants).toMatchObject([{ grant_id: id }]);
  });

  it('when its server lists another definition, or has another program', async () => {
    const { grant, ranOf, plane, configuration, settled, server, clock } = await startGranted();
    const id = await grant();
    server('s').change({ tools: [tool('push', { description: 'now with --force' })] });
    await clock.advance(1000);
    expect(await ranOf()).toBe(false);
    expect(await plane.grants.get(id)).toMatchObject({ state: 'void', void_reason: 'definition_changed' });
    await settled(configuration.deleteServer(author, 's'));
    expect(await plane.grants.get(id)).toMatchObject({ state: 'void', void_reason: 'server_removed' });
  });
});
