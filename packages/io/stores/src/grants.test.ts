// The behaviour of every store of grants: one suite over every implementation.
import { parseExact, writeExact } from '@portico/contracts';
import { createMemoryGrantStore, type GrantDraft, type GrantStore } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { createGrantStore } from './grants.js';
import { useDatabases } from './testing/use-databases.js';

const { temp, postgres, sqlites } = await useDatabases();

const implementations: readonly (readonly [string, () => Promise<GrantStore>])[] = [
  ['memory', async () => createMemoryGrantStore()],
  ...sqlites.map(({ name, open }) => [name, async () => createGrantStore(await open())] as const),
  ['PostgreSQL', async () => createGrantStore(await postgres.open())],
];

const bornMs = 1_000_000;
const draftOf = (more: Partial<GrantDraft> = {}): GrantDraft => ({
  kind: 'tool',
  capabilityId: 'git.push',
  serverId: 'git',
  principal: 'ann',
  profile: null,
  role: 'agent',
  actor: 'ann',
  client: 'a-client 1.0',
  definitionDigest: 'd1',
  policyDigest: 'p1',
  conditions: [{ path: '/repo', value: 'acme/site' }],
  names: ['repo', 'title'],
  uses: 2,
  createdAtMs: bornMs,
  expiresAtMs: bornMs + 10_000,
  issuedBy: 'eve',
  approvalId: 'appr-1-1',
  ...more,
});
const subject = {
  kind: 'tool',
  capabilityId: 'git.push',
  principal: 'ann',
  definitionDigest: 'd1',
  policyDigest: 'p1',
};
const idsOf = (grants: readonly { readonly id: string }[]) => grants.map(({ id }) => id);

describe.each(implementations)('grants in %s', (_name, open) => {
  it('are kept as they were made, with numbers to the last digit', async () => {
    const store = await open();
    const value = parseExact('{"n": 9007199254740993, "list": [1.0, "É\\u0000"]}');
    const conditions = [
      { path: '/n', value: 9007199254740992, exact: '9007199254740993' },
      { path: '/deep', value },
    ];
    const made = await store.add(draftOf({ conditions, principal: 'x'.repeat(9000) }));
    expect(made.id).toMatch(/^grant-1000-\d+$/);
    const kept = await store.get(made.id);
    expect(JSON.parse(JSON.stringify(kept))).toEqual({
      ...draftOf({ conditions: JSON.parse(JSON.stringify(conditions)), principal: 'x'.repeat(9000) }),
      id: made.id,
      usesLeft: 2,
      revokedAtMs: null,
      revokedBy: null,
      lastUsedAtMs: null,
    });
    expect(writeExact(kept?.conditions)).toBe(writeExact(conditions));
    for (const id of ['grant-999-1', 'grant-1000-99', 'appr-1000-1', '', `${made.id} `])
      expect(await store.get(id)).toBeUndefined();
  });

  it('are found by capability and principal while they may answer, the first to expire first', async () => {
    const store = await open();
    const later = await store.add(draftOf());
    const sooner = await store.add(draftOf({ expiresAtMs: bornMs + 5000 }));
    const spent = await store.add(draftOf({ uses: 1 }));
    const revoked = await store.add(draftOf());
    const others = [
      { definitionDigest: 'd2' },
      { policyDigest: 'p2' },
      { principal: 'bob' },
      { capabilityId: 'git.pull' },
    ];
    for (const other of [...others, { kind: 'prompt' as const }]) await store.add(draftOf(other));
    expect(await store.take(spent.id, bornMs)).toBe(true);
    await store.revoke(revoked.id, 'eve', bornMs);
    expect(idsOf(await store.find(subject, bornMs + 1))).toEqual([sooner.id, later.id]);
    expect(idsOf(await store.find(subject, bornMs + 5000))).toEqual([later.id]);
    expect(await store.find(subject, bornMs + 10_000)).toEqual([]);
    expect(await store.find(subject, bornMs - 1001)).toEqual([]);
    expect(await store.list({ openAtMs: bornMs + 1, limit: 99 })).toHaveLength(7);
    expect(await store.list({ openAtMs: bornMs + 1, policyDigest: 'p1', limit: 99 })).toHaveLength(6);
    expect(await store.count({ openAtMs: bornMs + 1, policyDigest: 'p1' })).toBe(6);
    expect([await store.count({}), await store.count({ policyDigest: 'p2' })]).toEqual([9, 1]);
    expect(idsOf(await store.list({ limit: 8 }))).toHaveLength(8);
    expect((await store.list({ limit: 1 }))[0]).toMatchObject({ kind: 'prompt' });
  });

  it('answer no more calls than they have uses, of 64 callers at once', async () => {
    const store = await open();
    const { id } = await store.add(draftOf({ uses: 20 }));
    const taken = await Promise.all(Array.from({ length: 64 }, () => store.take(id, bornMs + 5)));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(20);
    expect(await store.get(id)).toMatchObject({ uses: 20, usesLeft: 0, lastUsedAtMs: bornMs + 5 });
  });

  it.each([
    ['expired', bornMs + 10_000],
    ['made later than the clock shows', bornMs - 1001],
    ['used later than the clock shows', bornMs + 3999],
  ])('give no use when they are %s', async (_why, nowMs) => {
    const store = await open();
    const { id } = await store.add(draftOf({ uses: 9 }));
    expect(await store.take(id, bornMs + 5000)).toBe(true);
    expect(await store.take(id, nowMs)).toBe(false);
    expect(await store.take(id, bornMs + 4500)).toBe(true); // clocks of two daemons differ a little
    expect(await store.get(id)).toMatchObject({ usesLeft: 7, lastUsedAtMs: bornMs + 5000 });
  });

  it('are revoked once, and give no use afterwards', async () => {
    const store = await open();
    const { id } = await store.add(draftOf());
    expect(await store.revoke(id, 'eve', bornMs + 7)).toMatchObject({ revokedAtMs: bornMs + 7, revokedBy: 'eve' });
    expect(await store.revoke(id, 'bob', bornMs + 8)).toBeUndefined();
    expect(await store.revoke('grant-1000-999', 'bob', bornMs + 8)).toBeUndefined();
    expect(await store.take(id, bornMs + 9)).toBe(false);
    expect(await store.get(id)).toMatchObject({ revokedBy: 'eve', usesLeft: 2 });
  });

  it('are removed some time after they expired', async () => {
    const store = await open();
    const { id } = await store.add(draftOf());
    expect([await store.purge(bornMs + 10_000), await store.purge(bornMs + 10_001)]).toEqual([0, 1]);
    expect(await store.get(id)).toBeUndefined();
  });
});

it.each(sqlites)('grants in $name outlive a process, with the uses that are left', async ({ open }) => {
  const directory = await temp.create();
  const first = await open(directory);
  const store = createGrantStore(first);
  const { id } = await store.add(draftOf());
  await store.take(id, bornMs);
  await first.close();
  const again = createGrantStore(await open(directory));
  expect([await again.take(id, bornMs), await again.take(id, bornMs)]).toEqual([true, false]);
});

it('several daemons on one PostgreSQL use up a grant together, and no more', async () => {
  const url = await postgres.create();
  const stores = [createGrantStore(await postgres.open(url)), createGrantStore(await postgres.open(url))];
  const id = (await stores[0]?.add(draftOf({ uses: 30 })))?.id ?? '';
  const taken = await Promise.all(Array.from({ length: 64 }, (_, at) => stores[at % 2]?.take(id, bornMs + at)));
  expect(taken.filter((isTaken) => isTaken === true)).toHaveLength(30);
});
