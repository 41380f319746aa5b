// Findings of doctor about the lock of definitions.
import type { DriftView, FindingView } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { judgeLock, type LockSeen } from './judge-lock.js';

const fine: LockSeen = {
  mode: 'enforce',
  file: '/c/tools.lock',
  isMissing: false,
  fault: undefined,
  drifts: [],
  findings: [],
  whollyHeld: [],
};
const drift = (name: string, held = true): DriftView => ({
  ...{ id: `tool:a.${name}`, kind: 'tool', server_id: 'a', name, class: 'description', held, digest: 'd' },
  changes: [],
});
const finding = (name: string, rule: FindingView['rule'] = 'shadowed_name'): FindingView => ({
  ...{ rule, kind: 'tool', server_id: 'a', name, evidence: `also b.${name}` },
});

describe('the lock', () => {
  it.each<[string, Partial<LockSeen>, readonly (readonly [string, string | null])[]]>([
    ['as it was accepted', {}, [['ok', null]]],
    ['that is off', { mode: 'off', file: undefined }, []],
    ['that is broken', { fault: 'line 1' }, [['problem', 'lock-unusable']]],
    ['that is broken in mode warn', { mode: 'warn', fault: 'line 1' }, [['warning', 'lock-unusable']]],
    ['that is not there', { mode: 'warn', isMissing: true, fault: 'no file' }, [['warning', 'lock-missing']]],
    ['that holds something', { drifts: [drift('x')] }, [['warning', 'definitions-held']]],
    ['that holds nothing of what differs', { drifts: [drift('x', false)] }, [['warning', 'definitions-differ']]],
    ['that is off, with findings', { mode: 'off', findings: [finding('x')] }, [['warning', 'definition-finding']]],
  ])('%s', (_name, difference, expected) => {
    expect(judgeLock({ ...fine, ...difference }).map(({ level, code }) => [level, code])).toEqual(expected);
  });

  it('names the first five of many, and says where the others are', () => {
    const names = Array.from({ length: 7 }, (_, at) => `t${at}`);
    const [held, found] = judgeLock({
      ...fine,
      drifts: names.map((name) => drift(name)),
      findings: names.map((name) => finding(name)),
    });
    expect(held?.details).toHaveLength(6);
    expect(held?.details?.at(-1)).toBe('and 2 more: portico lock diff');
    expect(found?.message).toBe(
      '7 definitions, each of which has the name of a tool of another server (shadowed_name)',
    );
  });

  it('says of a server that is held whole that nothing of it is used', () => {
    const [held] = judgeLock({ ...fine, drifts: [drift('x')], whollyHeld: ['a'] });
    expect(held?.message).toContain('nothing of it is used until you accept it');
  });
});
