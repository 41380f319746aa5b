// The values of conditions, where a text does not compile, and what bounds an evaluation.
import { parseExact } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConditionInput, compileCondition, maxConditionSteps } from './condition.js';

const call: ConditionInput = {
  args: {},
  id: 'git.push',
  server: 'git',
  kind: 'tool',
  role: 'agent',
  profile: null,
  actor: null,
};

function evaluate(text: string, args: ConditionInput['args'], left = maxConditionSteps) {
  const compiled = compileCondition(text);
  if (!compiled.ok) throw new Error(compiled.problem);
  const meter = { left };
  return { evaluation: compiled.condition.evaluate({ ...call, args }, meter), spent: left - meter.left };
}

const args = {
  repo: 'acme/site',
  n: 5,
  half: 0.5,
  yes: true,
  nothing: null,
  paths: ['/srv/a', '/srv/b'],
  many: [1, 2, 3],
  deep: { a: { b: [{ c: 'x' }] } },
  'a b': 1,
  text: 'aé😀',
};

describe('a condition', () => {
  it.each<[string, boolean]>([
    ['args.repo.startsWith("acme/")', true],
    ["!args.repo.startsWith('acme/')", false],
    ['args.repo.endsWith("site") && args.repo.contains("/")', true],
    ['args.repo == "acme/site"', true],
    ['args.repo in ["a", "acme/site"]', true],
    ['"repo" in args && !("toString" in args)', true],
    ['args["a b"] == 1 && args.many[2] == 3', true],
    ['args.n > 4 && args.n <= 5.0 && args.n + 1 == 6 && args.n * 2 - 1 == 9', true],
    ['args.half < 1 && -args.half == -0.5', true],
    ['args.n == 5u && args.n == 0x5', true],
    ['args.n == "5"', false],
    ['args.nothing == null && args.yes', true],
    ['args.many == [1, 2, 3] && args.deep == {"a": {"b": [{"c": "x"}]}}', true],
    ['args.paths.all(p, p.startsWith("/srv/"))', true],
    ['args.paths.exists(p, p == "/srv/b") && args.many.exists_one(n, n > 2)', true],
    ['args.many.filter(n, n > 1).map(n, n * 2) == [4, 6]', true],
    ['args.exists(key, key == "repo")', true],
    ['args.many.all(a, args.many.exists(b, b == a))', true],
    ['size(args.paths) == 2 && args.text.size() == 3 && size(args.deep) == 1', true],
    ['has(args.repo) && !has(args.branch) && has(args.deep.a)', true],
    ['args.yes ? args.n == 5 : args.missing', true],
    ['args.repo.matches("^[a-z]+/[a-z]+$")', true],
    [String.raw`args.repo.upperAscii() == "ACME/SITE" && "\u212a".lowerAscii() != "k"`, true],
    ['double("1.5") == 1.5 && string(args.n) == "5"', true],
    ['id == "git.push" && server == "git" && kind == "tool" && role == "agent" && profile == null', true],
    ['args.missing == 1 || args.yes', true],
    ['args.missing == 1 && false', false],
    ['args.many.exists(n, n.missing || n == 2)', true],
    ['args.repo == "acme/site" // a comment\n && true', true],
    [String.raw`args.repo != r"\d" && "\x41é" == "Aé"`, true],
    ['["a",] == ["a"] && ("a" + "b") == "ab" && [1] + [2] == [1, 2]', true],
  ])('%s is %s', (text, value) => {
    expect(evaluate(text, args).evaluation).toEqual({ kind: 'value', value });
  });

  it.each<[string, string]>([
    ['args.branch == "main"', 'args.branch is missing'],
    ['!args.deep.z.y', 'args.deep.z is missing'],
    ['args.many[7] == 1', 'args.many[7] is missing'],
    ['args.many[0.5] == 1', 'args.many[0.5] is missing'],
    ['args["__proto__"] == null', 'args["__proto__"] is missing'],
    ['args.paths.startsWith("acme")', 'startsWith takes a string, not a list'],
    ['args.repo > 5', '> does not take a string and a number'],
    ['args.repo.name == "x"', 'args.repo is a string and has no fields'],
    ['args.n', 'it is a number, not a bool'],
    ['args.n && true', 'args.n is a number, not a bool'],
    ['args.n ? true : false', 'args.n is a number, not a bool'],
    ['args.repo.all(x, true)', 'args.repo is a string, not a list or a map'],
    ['args.many.all(n, n)', 'the expression over args.many is a number, not a bool'],
    ['args.many.exists(n, n.missing)', 'n is a number and has no fields'],
    ['double(args.repo) > 1', 'a text is no plain decimal number'],
    ['double("0x10") == 16', 'a text is no plain decimal number'],
    ['has(args.missing.field)', 'args.missing is missing'],
  ])('%s has no value: %s', (text, because) => {
    expect(evaluate(text, args).evaluation).toEqual({ kind: 'fails', because });
  });

  it('names no value of an argument in the reason', () => {
    const secret = 's3cret';
    for (const text of ['args.a.b', 'args.a > 1', 'args.a.all(x, x)', 'double(args.a) > 1', 'args.a && true'])
      expect(JSON.stringify(evaluate(text, { a: secret }).evaluation)).not.toContain(secret);
  });
});

describe('a text', () => {
  it.each<[string, string]>([
    [
      'args.repo.startWith("a")',
      'line 1, column 11 ("startWith(\\"a\\")"): there is no function "startWith"; did you mean startsWith?',
    ],
    ['repo == "a"', 'line 1, column 1 ("repo == \\"a\\""): there is no variable "repo"; there are args, id,'],
    ['args.n == 5 &&\n args.b ==', 'line 2, column 11 (the end of the text): a value was expected'],
    ['args.a b', 'line 1, column 8 ("b"): an operator or the end was expected'],
    ['"a" && args.b', 'line 1, column 1 ("\\"a\\" && args.b"): && does not take a string and a any'],
    ['1 + "a" == 2', '+ does not take a number and a string'],
    ['args.a / 2 == 1', 'line 1, column 8 ("/ 2 == 1"): / is not supported'],
    ['args.a.matches(args.b)', 'matches takes a pattern that is written out'],
    ['args.a.matches("(")', 'line 1, column 16 ("\\"(\\")"): the pattern is not one of RE2'],
    ['args.a.matches("(a{900}){9}")', 'the pattern is not one of RE2'],
    ['args.a == "b', 'line 1, column 11 ("\\"b"): the text is not closed'],
    ['args.a == "\\q"', 'the escape \\q is not known'],
    ['args.a == #', 'an unexpected character'],
    ['args.a = 1', 'line 1, column 8 ("= 1"): values are compared with =='],
    ['args.a & true', 'conditions are joined with &&'],
    ['has(args)', 'has takes a field'],
    ['size(args.a, 1) == 1', 'size takes 1 argument, not 2'],
    ['args.a.all(1, true)', 'all takes a name and an expression'],
    ['size(args.a)', 'it is a number, not a bool'],
    ['args.a == 9007199254740993', 'the number is too large to be compared exactly'],
    ['{args.a: 1} == args', 'a key is a text'],
    [`${'('.repeat(100)}true${')'.repeat(100)}`, 'it is nested deeper than 60 levels'],
    ['!'.repeat(1900), 'it is nested deeper than 60 levels'],
    [`args.a == "${'x'.repeat(2000)}"`, 'it is longer than 2000 characters'],
    ['args.a.all(a, a.all(b, b.all(c, c.all(d, d))))', 'there are more than 3 macros in each other'],
    ['', 'a value was expected'],
  ])('%s does not compile: %s', (text, problem) => {
    const compiled = compileCondition(text);
    expect(compiled.ok ? undefined : compiled.problem).toContain(problem);
  });

  it('of any characters compiles, or does not with a place', () => {
    const words = fc.constantFrom(
      'args',
      '.',
      'a',
      '(',
      ')',
      '[',
      ']',
      '"x"',
      '1',
      '&&',
      '!',
      '==',
      'in',
      '?',
      ':',
      ',',
      '{',
      '}',
      '\\',
      '-',
      'all',
      'has',
      'é',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
        const compiled = compileCondition(parts.join(''));
        if (!compiled.ok) expect(compiled.problem).toMatch(/^line \d+, column \d+ \(.+\): ./);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a number', () => {
  it.each<[string, { readonly kind: string; readonly because?: string; readonly value?: boolean }]>([
    ['{"n": 100.00000000000000000001}', { kind: 'fails', because: 'args.n is a number with too many digits' }],
    ['{"n": 9007199254740993}', { kind: 'fails', because: 'args.n is a number with too many digits' }],
    ['{"n": 1e400}', { kind: 'fails', because: 'args.n is a number with too many digits' }],
    ['{"n": 100.0}', { kind: 'value', value: true }],
    ['{"n": 1e2}', { kind: 'value', value: true }],
    ['{"n": -0.0}', { kind: 'value', value: true }],
    ['{"n": 123456789012345680000}', { kind: 'value', value: false }],
  ])('of %s counts only if it is exactly what was sent', (text, expected) => {
    const given = parseExact(text) as ConditionInput['args']; // an object
    expect(evaluate('args.n <= 100', given).evaluation).toEqual(expected);
    expect(evaluate('[args].exists(x, x.n <= 100)', given).evaluation).toMatchObject({ kind: expected.kind });
  });

  it('within a list or a map that is compared as a whole counts so as well', () => {
    const given = parseExact('{"list": [9007199254740993], "map": {"n": 9007199254740993}}') as ConditionInput['args'];
    for (const text of ['args.list == [9007199254740991]', '9007199254740991 in args.list', 'args.map == {"n": 1}'])
      expect(evaluate(text, given).evaluation).toMatchObject({ kind: 'fails' });
  });
});

describe('the bound of an evaluation', () => {
  const long = 'a'.repeat(1_000_000);
  const list = Array.from({ length: 100_000 }, (_, at) => `item ${at}`);
  const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1), nested(levels - 1)]);

  it.each<[string, object]>([
    ['args.list.exists(x, x == "none")', { list }],
    ['args.list.all(x, args.list.exists(y, y == x))', { list: list.slice(0, 2000) }],
    ['args.list.map(x, args.list).map(x, x.map(y, x + x)).size() == 1', { list: list.slice(0, 2000) }],
    ['args.list.exists(x, x.missing)', { list }],
    ['args.a.contains(args.b)', { a: long, b: `${'a'.repeat(500_000)}b` }],
    ['args.list.exists(x, args.a.contains(x))', { a: long, list }],
    ['args.a.matches("(a|aa)+b")', { a: long }],
    ['args.a.lowerAscii() == args.a.upperAscii()', { a: long }],
    ['args.a + args.a + args.a + args.a + args.a + args.a + args.a + args.a == "x"', { a: long }],
    ['args.a == args.b', { a: nested(18), b: nested(18) }],
    ['args.list in [args.list]', { list }],
  ])('ends %s', (text, given) => {
    const { evaluation, spent } = evaluate(text, given as ConditionInput['args']);
    expect(evaluation).toEqual({ kind: 'fails', because: 'the condition takes too many steps on these arguments' });
    expect(spent).toBeGreaterThan(maxConditionSteps);
  });

  it('is not handled by an operator that one side decides', () => {
    for (const text of ['args.list.all(x, x != "none") || true', '!(args.list.all(x, x != "none") && false)'])
      expect(evaluate(text, { list }).evaluation).toMatchObject({ kind: 'fails' });
  });

  it('is not spent by arguments that are not read', () => {
    const { evaluation, spent } = evaluate('args.path.startsWith("/srv/")', { path: '/srv/a', content: long, list });
    expect([evaluation, spent < 20]).toEqual([{ kind: 'value', value: true }, true]);
  });

  it('leaves room for lists and texts of ordinary calls', () => {
    const paths = Array.from({ length: 2000 }, (_, at) => `/srv/files/of/a/project/${at}.txt`);
    expect(evaluate('args.paths.all(p, p.startsWith("/srv/"))', { paths }).evaluation).toMatchObject({ value: true });
    expect(evaluate('args.text.contains("BEGIN PRIVATE KEY")', { text: long }).evaluation).toMatchObject({
      value: false,
    });
  });
});
