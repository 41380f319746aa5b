// The changes of definitions that may be accepted together, and whether they are still those that were shown.
import type { DriftView } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { acceptableTogether, byServer, changedSince, findingsOf, unlockedOf, withItsServer } from './drift-groups.js';

const drift = (name: string, rest: Partial<DriftView> = {}): DriftView => ({
  id: `tool:a.${name}`,
  kind: 'tool',
  server_id: 'a',
  name,
  class: 'description',
  held: true,
  digest: `digest of ${name}`,
  changes: [],
  ...rest,
});

it('leaves what is dangerous or not shown whole to be accepted by itself', () => {
  const cut = drift('cut', {
    changes: [{ field: 'title', class: 'description', before: 'x', after: 'y', truncated: true }],
  });
  const all = [drift('one'), drift('two', { class: 'identity' }), cut, drift('three', { class: 'new' })];
  expect(acceptableTogether(all, new Set()).map(({ name }) => name)).toEqual(['one', 'three']);
});

describe('a definition of a server that is not in the lock', () => {
  const [one, server] = [drift('one'), drift('a', { id: 'server:a', kind: 'server', class: 'new' })];
  const unlocked = unlockedOf([
    { id: 'a', locked: false },
    { id: 'b', locked: true },
  ]);

  it('is accepted with the server', () => {
    expect(withItsServer(one, [server, one], unlocked)).toEqual([server, one]);
    expect(withItsServer(server, [server, one], unlocked)).toEqual([server]);
    expect(withItsServer(one, [server, one], new Set())).toEqual([one]);
  });

  it('is not accepted together with others if the server has to be accepted by itself', () => {
    expect(acceptableTogether([server, one], unlocked)).toEqual([server, one]);
    expect(acceptableTogether([{ ...server, class: 'suspicious' }, one], unlocked)).toEqual([]);
  });
});

it('keeps the order of servers and of their changes', () => {
  const groups = byServer([drift('x', { server_id: 'b' }), drift('y'), drift('z', { server_id: 'b' })]);
  expect([...groups].map(([id, own]) => [id, own.map(({ name }) => name)])).toEqual([
    ['b', ['x', 'z']],
    ['a', ['y']],
  ]);
});

describe('what was shown', () => {
  it('has changed where its digest is another, or where it does not differ any more', () => {
    const shown = [drift('same'), drift('other'), drift('gone')];
    const current = [drift('same'), drift('other', { digest: 'x' }), drift('new')];
    expect(changedSince(shown, current).map(({ name }) => name)).toEqual(['other', 'gone']);
  });

  it('has the findings of its own definition', () => {
    const finding = (name: string) =>
      ({ rule: 'hidden_characters', kind: 'tool', server_id: 'a', name, evidence: 'U+200B' }) as const;
    expect(findingsOf(drift('one'), [finding('one'), finding('two')])).toEqual([finding('one')]);
  });
});
