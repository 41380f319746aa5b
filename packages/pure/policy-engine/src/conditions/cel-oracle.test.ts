// Conditions decide as another implementation of the Common Expression Language does (@marcbachmann/cel-js), over random
// expressions and arguments.
import { Environment } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ConditionInput, compileCondition, maxConditionSteps } from './condition.js';

const environment = new Environment().registerVariable('args', 'map<string, dyn>').registerVariable('id', 'string');

/** `undefined` for an expression that does not compile there, or has no value. */
function byLibrary(text: string, args: object): boolean | undefined {
  const parsed = environment.parse(text);
  if (!parsed.check().valid) return undefined;
  try {
    const value: unknown = parsed({ args, id: 's.t' });
    return typeof value === 'boolean' ? value : undefined;
  } catch {
    return undefined;
  }
}

function byUs(text: string, args: ConditionInput['args']): boolean | undefined {
  const compiled = compileCondition(text);
  if (!compiled.ok) return undefined;
  const input = { args, id: 's.t', server: 's', kind: 'tool', role: null, profile: null, actor: null };
  const evaluation = compiled.condition.evaluate(input, { left: maxConditionSteps });
  return evaluation.kind === 'value' ? evaluation.value : undefined;
}

const { bool } = fc.letrec<{ anything: string; bool: string; text: string }>((tie) => ({
  text: fc.oneof(
    fc.constantFrom('"a"', "'ab'", '""', 'id', 'args.s', 'args.t', 'args.deep.s', 'args.list[0]', '"é😀"'),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => `(${a} + ${b})`),
  ),
  anything: fc.oneof(
    tie('text'),
    fc.constantFrom(
      'args.n',
      'args.missing',
      'args.list',
      'args.deep',
      'args.no',
      'args.none',
      '1.0',
      '2.5',
      '["a"]',
      'null',
      'args.list[1]',
    ),
  ),
  bool: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('true', 'false', 'args.yes', 'args.missing', 'has(args.s)', 'has(args.missing)'),
    fc
      .tuple(tie('text'), fc.constantFrom('startsWith', 'endsWith', 'contains'), tie('text'))
      .map(([a, f, b]) => `${a}.${f}(${b})`),
    fc.tuple(tie('anything'), fc.constantFrom('==', '!='), tie('anything')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(
        fc.constantFrom('args.n', '1.0', '2.5'),
        fc.constantFrom('<', '<=', '>', '>='),
        fc.constantFrom('args.n', '2.0', 'args.missing', 'args.s'),
      )
      .map((parts) => `(${parts.join(' ')})`),
    fc
      .tuple(tie('text'), fc.constantFrom('args.list', '["a", "ab"]', 'args.deep', 'args.n'))
      .map(([a, b]) => `(${a} in ${b})`),
    fc.tuple(tie('bool'), fc.constantFrom('&&', '||'), tie('bool')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('bool').map((a) => `!(${a})`),
    fc.tuple(tie('bool'), tie('bool'), tie('bool')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(
        fc.constantFrom('args.list', 'args.deep', 'args.n'),
        fc.constantFrom('all', 'exists', 'exists_one'),
        fc.constantFrom('x == "a"', 'x.startsWith("a")', 'x in args.list', 'x.missing'),
      )
      .map(([a, f, b]) => `${a}.${f}(x, ${b})`),
    fc
      .tuple(
        fc.constantFrom('args.list', 'args.s', 'args.deep', 'args.n'),
        fc.constantFrom('size(*) > 1', '*.size() == 2'),
      )
      .map(([a, form]) => form.replace('*', a)),
  ),
}));

const value = fc.constantFrom<ConditionInput['args'][string]>(
  'a',
  'ab',
  '',
  'é😀',
  1,
  2.5,
  -1,
  true,
  false,
  null,
  ['a', 'b'],
  ['a', 1],
  [],
  { s: 'a' },
  {},
);
const given = fc.dictionary(fc.constantFrom('s', 't', 'n', 'yes', 'no', 'none', 'list', 'deep'), value, {
  noNullPrototype: true,
});

it('decides as another implementation of the language, for what both compile', () => {
  let decided = 0;
  fc.assert(
    fc.property(bool, given, (expression, args) => {
      if (!environment.check(expression).valid || !compileCondition(expression).ok) return;
      const expected = byLibrary(expression, args);
      if (expected !== undefined) decided += 1;
      expect([expression, byUs(expression, args)]).toEqual([expression, expected]);
    }),
    { numRuns: 20_000 },
  );
  expect(decided).toBeGreaterThan(2000);
});

it('compiles what that implementation compiles', () => {
  fc.assert(
    fc.property(bool, (expression) => {
      if (environment.check(expression).valid)
        expect([expression, compileCondition(expression).ok]).toEqual([expression, true]);
    }),
    { numRuns: 5000 },
  );
});
