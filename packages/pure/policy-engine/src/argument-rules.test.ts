// Rules on arguments tighten only: one that applies names its effect, and one without a value applies.
import type { ArgumentRule } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileArgumentRules } from './argument-rules.js';

const rule = (given: Partial<ArgumentRule>): ArgumentRule => ({
  id: 'r',
  match: 'git.*',
  when: 'true',
  effect: 'deny',
  reason: null,
  shadow: false,
  ...given,
});

function judge(rules: readonly ArgumentRule[], args: object = {}, names: readonly string[] = ['git.push']) {
  const compiled = compileArgumentRules(rules);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const input = {
    args: { ...args },
    id: 'git.push',
    server: 'git',
    kind: 'tool',
    role: null,
    profile: null,
    actor: null,
  };
  const { inForce, onTrial } = compiled.rules.judge([names], input);
  return [inForce?.rule.id, onTrial?.rule.id, inForce?.because];
}

describe('rules on arguments', () => {
  it('apply where their pattern covers a name, and their condition is true', () => {
    expect(judge([rule({})])).toEqual(['r', undefined, undefined]);
    expect(judge([rule({ match: 'web.*' })])).toEqual([undefined, undefined, undefined]);
    expect(judge([rule({ match: 'nick' })], {}, ['git.push', 'nick'])[0]).toBe('r');
    expect(judge([rule({ when: 'args.a == 1' })], { a: 2 })[0]).toBeUndefined();
  });

  it('apply if their condition has no value', () => {
    expect(judge([rule({ when: 'args.a == 1' })])).toEqual(['r', undefined, 'args.a is missing']);
  });

  it('deny before they require an approval, in whichever order they are written', () => {
    const [ask, deny] = [rule({ id: 'ask', effect: 'requireApproval' }), rule({ id: 'deny' })];
    expect([judge([ask, deny])[0], judge([deny, ask])[0], judge([ask])[0]]).toEqual(['deny', 'deny', 'ask']);
  });

  it('are reported apart where they are on trial', () => {
    expect(judge([rule({ shadow: true }), rule({ id: 'on', effect: 'requireApproval' })])).toEqual([
      'on',
      'r',
      undefined,
    ]);
  });

  it('share one bound for a call: a rule without steps left applies', () => {
    const list = Array.from({ length: 15_000 }, () => 'a');
    const when = 'args.list.exists(x, x == "b")';
    expect(judge([rule({ id: 'one', when }), rule({ id: 'two', when })], { list })).toEqual([
      'two',
      undefined,
      'the condition takes too many steps on these arguments',
    ]);
  });

  it('report every condition that does not compile', () => {
    const compiled = compileArgumentRules([rule({}), rule({ id: 'bad', when: 'args.' }), rule({ when: 'no' })]);
    expect(compiled).toMatchObject({ ok: false, problems: [{ index: 1 }, { index: 2 }] });
    expect(compiled.ok ? '' : compiled.problems[0]?.problem).toBe(
      'rule "bad" does not compile: line 1, column 6 (the end of the text): a name was expected',
    );
  });

  it('never loosen: with one more rule, the verdict is the same or stricter', () => {
    const strictness = { none: 0, requireApproval: 1, deny: 2 } as const;
    const when = fc.constantFrom('true', 'false', 'args.a == 1', 'args.b', 'args.a > 0');
    const effect = fc.constantFrom<ArgumentRule['effect']>('deny', 'requireApproval');
    const some = fc.record({ when, effect, match: fc.constantFrom('git.*', 'web.*', 'git.push') });
    fc.assert(
      fc.property(
        fc.array(some, { maxLength: 5 }),
        some,
        fc.constantFrom({}, { a: 1 }, { a: 'x', b: true }),
        (few, more, args) => {
          const verdict = (rules: readonly object[]) => {
            const compiled = compileArgumentRules(rules.map((each) => rule(each)));
            if (!compiled.ok) throw new Error('does not compile');
            const input = { args, id: 'git.push', server: 'git', kind: 'tool', role: null, profile: null, actor: null };
            return strictness[compiled.rules.judge([['git.push']], input).inForce?.rule.effect ?? 'none'];
          };
          expect(verdict([...few, more])).toBeGreaterThanOrEqual(verdict(few));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
