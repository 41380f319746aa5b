// Texts about the lock of definitions, in the console and on a terminal.
import { describe, expect, it } from 'vitest';
import { driftClassNames, type FindingView, findingRuleNames, type LockState } from '../wire/lock.js';
import {
  definitionTitle,
  driftSentences,
  driftSeverity,
  driftSummary,
  findingSentences,
  heldText,
  lockNeedsOf,
  worstFindingsFirst,
} from './lock.js';

const server = { id: 'a', mode: 'enforce', locked: true, drifts: 2, held: 2, wholly_held: false } as const;
const state: LockState = {
  ok: true,
  mode: 'enforce',
  file: 'tools.lock',
  usable: true,
  verdict: 11,
  revision: 'r',
  servers: [server],
};

describe('what of the lock needs a person', () => {
  it('is each server of which something is held', () => {
    const fine = { ...server, id: 'b', held: 0 };
    expect(lockNeedsOf({ ...state, servers: [server, fine] })).toEqual({ held: [server] });
    expect(lockNeedsOf(undefined)).toEqual({ held: [] });
  });

  it('is the fault alone where nothing is served for it', () => {
    const broken = { ...state, usable: false, fault: 'line 1 is a conflict of a merge', verdict: 2 } as const;
    expect(lockNeedsOf(broken)).toEqual({ fault: 'line 1 is a conflict of a merge', held: [] });
  });

  it('is nothing in mode warn, also while the file cannot be used', () => {
    const warned = { ...server, mode: 'warn', held: 0 } as const;
    expect(lockNeedsOf({ ...state, mode: 'warn', usable: false, fault: 'x', servers: [warned] })).toEqual({ held: [] });
  });
});

it('says how much of a server is held', () => {
  const one = { held: 1, wholly_held: false };
  expect(heldText(one)).toBe('has 1 definition that is held until you accept it');
  expect(heldText({ ...one, held: 1200 })).toBe('has 1,200 definitions that are held until you accept them');
  expect(heldText({ ...one, wholly_held: true })).toMatch(/nothing of it is used/);
});

it('has a sentence and a severity for each class, and a sentence for each finding', () => {
  expect(Object.keys(driftSentences).sort()).toEqual([...driftClassNames].sort());
  expect(driftClassNames.map(driftSeverity)).toEqual([
    ...['harmless', 'harmless', 'review', 'review', 'review', 'review', 'review', 'review'],
    ...['dangerous', 'dangerous', 'dangerous'],
  ]);
  expect(Object.keys(findingSentences).sort()).toEqual([...findingRuleNames].sort());
});

it('names a definition by its kind and its server', () => {
  expect(definitionTitle({ kind: 'resource_template', server_id: 'a', name: 'file:///{x}' })).toBe(
    'resource template a.file:///{x}',
  );
  expect(definitionTitle({ kind: 'server', server_id: 'a', name: 'a' })).toBe('server a');
});

it('sums up what differs', () => {
  const of = (found: (typeof driftClassNames)[number], held: boolean) => ({ class: found, held });
  expect(driftSummary([of('new', true), of('identity', true), of('cosmetic', false)])).toBe(
    '3 changes, 2 held, 1 dangerous',
  );
  expect(driftSummary([of('cosmetic', false)])).toBe('1 change');
});

it('shows names that are merely alike last', () => {
  const finding = (rule: FindingView['rule']) =>
    ({ rule, kind: 'tool', server_id: 'a', name: 'x', evidence: '' }) as const;
  const sorted = worstFindingsFirst([finding('shadowed_name'), finding('hidden_characters')]);
  expect(sorted.map(({ rule }) => rule)).toEqual(['hidden_characters', 'shadowed_name']);
});
