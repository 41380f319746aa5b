// A grant only narrows the approval of a person: the property over random policies, grants and calls, and hostile values.
import { type ArgumentRule, type JsonObject, parseExact } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileArgumentRules } from '../argument-rules.js';
import { compilePolicy } from '../policy.js';
import { freeOf, type Grant, type GrantedCall, missOf, scopeOf } from './grant.js';

const binding = {
  kind: 'tool',
  capabilityId: 'git.push',
  definitionDigest: 'd1',
  policyDigest: 'p1',
  principal: 'ann',
  actor: 'ann',
  role: null,
  profile: null,
};

function grantOf(args: JsonObject, keep?: readonly string[], more: Partial<Grant> = {}): Grant {
  const scope = scopeOf(args, keep);
  if (!scope.ok) throw new Error(`no value at ${scope.path}`);
  const { conditions, names } = scope;
  const life = { usesLeft: 1, createdAtMs: 10_000, expiresAtMs: 20_000, revokedAtMs: null, lastUsedAtMs: null };
  return { ...binding, id: 'g', conditions, names, ...life, ...more };
}

const call = (args: JsonObject, more: Partial<GrantedCall> = {}): GrantedCall => ({ ...binding, args, ...more });
const approved = { repo: 'acme/site', branch: 'main', labels: ['a', { b: 1 }] };

describe('a grant', () => {
  it.each<[Partial<GrantedCall>, Partial<Grant>, number, string | undefined]>([
    [{}, {}, 15_000, undefined],
    [{}, {}, 20_000, 'expired'],
    [{}, {}, 8999, 'expired'],
    [{}, { usesLeft: 0 }, 15_000, 'used_up'],
    [{}, { revokedAtMs: 12_000 }, 15_000, 'revoked'],
    [{}, { lastUsedAtMs: 16_001 }, 15_000, 'expired'],
    [{}, { lastUsedAtMs: 16_000 }, 15_000, undefined],
    [{ capabilityId: 'git.pull' }, {}, 15_000, 'other_call'],
    [{ principal: 'bob' }, {}, 15_000, 'other_call'],
    [{ actor: 'bob' }, {}, 15_000, 'other_call'],
    [{ role: 'agent' }, {}, 15_000, 'other_call'],
    [{ profile: 'dev' }, {}, 15_000, 'other_call'],
    [{ definitionDigest: 'd2' }, {}, 15_000, 'changed'],
    [{ policyDigest: 'p2' }, {}, 15_000, 'changed'],
  ])('of a call with %j and a grant with %j at %i: %s', (other, more, nowMs, miss) => {
    expect(missOf(grantOf(approved, undefined, more), call(approved, other), nowMs)).toBe(miss);
  });

  it.each<[JsonObject, boolean]>([
    [{ repo: 'acme/site', branch: 'x', labels: [] }, true],
    [{ repo: 'acme/site' }, true],
    [{ repo: 'acme/site', force: true }, false],
    [{ repo: ['acme/site'] }, false],
    [{ repo: 'acme/../acme/site' }, false],
    [{ repo: 'acme%2Fsite' }, false],
    [{ repo: 'acme/site\u0000' }, false],
    [{ repo: '\u0430cme/site' }, false],
    [{ repo: 'acme/si\u200bte' }, false],
    [{ repo: null }, false],
    [{}, false],
  ])('that keeps /repo answers %j: %s', (args, isAnswered) => {
    expect(missOf(grantOf(approved, ['/repo']), call(args), 15_000) === undefined).toBe(isAnswered);
  });

  it.each<[string, string, boolean]>([
    ['{"n": 1.0}', '{"n": 1.0}', true],
    ['{"n": 9007199254740993}', '{"n": 9007199254740992}', false],
    ['{"n": {"deep": [9007199254740993]}}', '{"n": {"deep": [9007199254740992]}}', false],
    ['{"n": {"a": 1, "b": 2}}', '{"n": {"b": 2, "a": 1}}', true],
    ['{"a/b": {"c~d": 1}}', '{"a/b": {"c~d": 2}}', false],
  ])('of %s answers %s: %s', (given, asked, isAnswered) => {
    const [one, other] = [parseExact(given) as JsonObject, parseExact(asked) as JsonObject];
    expect(missOf(grantOf(one), call(other), 15_000) === undefined).toBe(isAnswered);
  });

  it('names the arguments that are free', () => {
    expect(freeOf(grantOf(approved, ['/repo', '/labels/0']))).toEqual(['/branch', '/labels']);
    expect(freeOf(grantOf({ 'a/b': 1, 'c~d': 2 }, []))).toEqual(['/a~1b', '/c~0d']);
    expect(freeOf(grantOf(approved))).toEqual([]);
  });

  it.each(['repo', '/none', '', '/labels/00', '/labels/9', '/labels/-', '/repo/0', '/__proto__'])(
    'cannot keep %j, which the approved call has no value for',
    (path) => {
      expect(scopeOf(approved, [path])).toEqual({ ok: false, path });
    },
  );
});

/** A million with PORTICO_GRANT_CASES=1000000. */
const numRuns = Number(process.env.PORTICO_GRANT_CASES ?? 5000);

it('of the calls that a policy gates, answers only those within the approved values', () => {
  const pattern = fc.constantFrom('git.*', 'git.push', 'web.*', '*', 'git.pull');
  const list = fc.array(pattern, { maxLength: 2 });
  const when = fc.constantFrom(
    'args.repo == "a"',
    '!args.repo.startsWith("a")',
    'has(args.force)',
    'args.n > 1',
    'true',
  );
  const rule = fc.record({
    match: pattern,
    when,
    effect: fc.constantFrom<ArgumentRule['effect']>('deny', 'requireApproval'),
  });
  const value = fc.constantFrom('a', 'ab', 'b', 1, 2, true, null);
  const args = fc.dictionary(fc.constantFrom('repo', 'n', 'force', 'x'), value, { noNullPrototype: true });
  const who = fc.record({
    capabilityId: fc.constantFrom('git.push', 'git.pull'),
    principal: fc.constantFrom('ann', 'bob'),
    role: fc.constantFrom(null, 'r'),
  });
  const policy = fc.record({ allow: list, deny: list, requireApproval: list, rules: fc.array(rule, { maxLength: 3 }) });
  const keep = fc.option(fc.subarray(['/repo', '/n', '/force', '/x']), { nil: undefined });
  let answered = 0;
  fc.assert(
    fc.property(
      policy,
      args,
      keep,
      who,
      fc.array(fc.tuple(args, who, fc.nat(25_000)), { maxLength: 4 }),
      (rules, first, kept, owner, calls) => {
        const lists = compilePolicy(rules);
        const named = rules.rules.map((each, at) => ({ ...each, id: `r${at}`, reason: null, shadow: false }));
        const compiled = compileArgumentRules(named);
        const scope = scopeOf(
          first,
          kept?.filter((path) => Object.hasOwn(first, path.slice(1))),
        );
        if (!compiled.ok || !scope.ok) throw new Error('does not compile');
        const { conditions, names } = scope;
        let grant: Grant = {
          ...binding,
          ...owner,
          id: 'g',
          conditions,
          names,
          usesLeft: 2,
          createdAtMs: 5000,
          expiresAtMs: 20_000,
          revokedAtMs: null,
          lastUsedAtMs: null,
        };
        for (const [given, caller, nowMs] of calls) {
          const id = caller.capabilityId;
          const decided = lists.decide(id).kind;
          const input = { args: given, id, server: 'git', kind: 'tool', role: caller.role, profile: null, actor: null };
          const met = compiled.rules.judge([[id]], input).inForce?.rule.effect;
          const isRefused = decided === 'deny' || decided === 'not_allowed' || met === 'deny';
          const isGated = !isRefused && (decided === 'require_approval' || met === 'requireApproval');
          if (!isGated || missOf(grant, call(given, caller), nowMs) !== undefined) continue; // a grant answers nothing else
          grant = { ...grant, usesLeft: grant.usesLeft - 1 };
          answered += 1;
          expect(caller).toEqual(owner);
          expect(nowMs >= 4000 && nowMs < 20_000 && grant.usesLeft >= 0).toBe(true);
          for (const name of Object.keys(given)) expect(Object.hasOwn(first, name)).toBe(true);
          for (const path of kept ?? Object.keys(first).map((name) => `/${name}`)) {
            const name = path.slice(1);
            if (Object.hasOwn(first, name)) expect(given[name]).toBe(first[name]);
          }
        }
      },
    ),
    { numRuns },
  );
  expect(answered).toBeGreaterThan(numRuns / 1000);
}, 600_000);
