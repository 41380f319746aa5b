// No secret under a redacted key comes out, in any spelling or nesting; values without one stay unchanged.
import { type JsonObject, type JsonValue, parseJson } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, defaultRedactKeys } from './index.js';

const { redact, sanitize, redactText } = createRedactor(defaultRedactKeys);
const planted = 'hunter2hunter2';

const spelledKey = fc
  .tuple(fc.constantFrom(...defaultRedactKeys), fc.infiniteStream(fc.boolean()))
  .map(([key, flips]) =>
    [...key].map((c) => (flips.next().value === true ? (c === '_' ? '-' : c.toUpperCase()) : c)).join(''),
  );
const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
const secret = fc.constantFrom<JsonValue>(planted, [planted], { a: { b: planted } }, JSON.stringify([planted]));
const wrap = fc.constantFrom<(value: JsonValue) => JsonValue>(
  (value) => [1, value],
  (value) => ({ a: value, b: 'c' }),
  (value) => parseJson(`{"__proto__":${JSON.stringify(value)}}`),
  (value) => JSON.stringify(value),
  (value) => ` \n${JSON.stringify(value)}\t`,
);
const holder = fc
  .tuple(spelledKey, secret, json, fc.array(wrap, { maxLength: 8 }))
  .map(([key, value, other, wraps]) => wraps.reduce<JsonValue>((inner, next) => next(inner), { [key]: value, other }));

describe('redact', () => {
  it('redacts a planted secret wherever it is', () => {
    fc.assert(
      fc.property(holder, (value) => {
        expect(JSON.stringify(redact(value))).not.toContain(planted);
        expect(JSON.stringify(sanitize({ value }))).not.toContain(planted);
        expect(redactText(JSON.stringify(value))).not.toContain(planted);
        expect(redactText(`failed: ${JSON.stringify(value)} for you`)).not.toContain(planted);
      }),
      { numRuns: 2000 },
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(holder, (value) => {
        const once = redact(value);
        expect(redact(once)).toBe(once);
      }),
    );
  });

  it('gives back what holds no such key, the same object', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(redact(value)).toBe(value);
      }),
    );
    const same = { a: [{ b: ' {"c" : 1e400} ' }] };
    expect(redact(same)).toBe(same);
    expect(sanitize(same)).toBe(same);
  });

  it('keeps keys that objects have by nature', () => {
    const value = JSON.parse('{"__proto__":{"password":"x"},"constructor":1}');
    expect(JSON.stringify(redact(value))).toBe('{"__proto__":{"password":"[REDACTED]"},"constructor":1}');
    expect(JSON.stringify(sanitize(value))).toBe('{"__proto__":{},"constructor":1}');
  });

  it('finds a secret behind a second key of the same name', () => {
    expect(redact('{"a":{"password":"x"},"a":1}')).toBe('{"a":1}');
    expect(redact('{"a":"{\\"password\\":1}", "a":":"}')).toBe('{"a":":"}');
  });

  it('compares whole names', () => {
    const value = { max_tokens: 1, tokens: 2, 'api key': 3 };
    expect(redact(value)).toBe(value);
    expect(redact({ 'API-Key': 1, apikey: 2 })).toEqual({ 'API-Key': '[REDACTED]', apikey: '[REDACTED]' });
  });

  it('gives up on what is nested too deep, and does not overflow', () => {
    const nest = (levels: number) => `${'[{"a":'.repeat(levels)}{"password":"${planted}"}${'}]'.repeat(levels)}`;
    for (const value of [nest(5000), JSON.parse(nest(5000))]) {
      expect(JSON.stringify(redact(value))).toMatch(/^[^h]*\[REDACTED\][^h]*$/);
      expect(JSON.stringify(sanitize({ value }))).not.toContain(planted);
    }
    expect(redact(nest(100_000))).not.toContain(planted);
    let list: JsonValue = 1;
    for (let level = 0; level < 256; level += 1) list = [list];
    expect(redact(list)).toBe(list);
    expect(JSON.stringify(redact([list]))).toContain('[REDACTED]');
  });

  it('redacts text of JSON that nests too deep as a whole, before it is parsed', () => {
    const nest = fc.constantFrom<(inner: string, levels: number) => string>(
      (inner, levels) => '['.repeat(levels) + inner + ']'.repeat(levels),
      (inner, levels) => '{"a":'.repeat(levels) + inner + '}'.repeat(levels),
    );
    const around = fc.constantFrom<(text: string) => JsonValue>(
      (text) => ({ text }),
      (text) => [[text]],
      JSON.stringify,
    );
    fc.assert(
      fc.property(nest, fc.integer({ min: 255, max: 400_000 }), around, (nested, levels, put) => {
        const text = nested(`{"password":"${planted}"}`, levels);
        const shown = JSON.stringify(sanitize({ args: put(text) }));
        expect(shown).not.toContain(planted);
        expect(shown.length).toBeLessThan(levels < 258 ? Number.POSITIVE_INFINITY : 100);
      }),
      { numRuns: 30 },
    );
  });

  it('gives up on JSON in more than 16 texts', () => {
    let text: string = JSON.stringify({ a: 1 });
    for (let level = 1; level < 16; level += 1) text = JSON.stringify(text);
    expect(redact(text)).toBe(text);
    expect(redact(JSON.stringify(text))).toContain('[REDACTED]');
  });

  it('leaves every digit of the numbers beside a secret in a JSON text, which a person who approves reads', () => {
    const redactor = createRedactor(['pin']);
    const text = '{"amount":1098765432109876543,"pin":"4711","rates":[1.50,1e400]}';
    const shown = '{"amount":1098765432109876543,"pin":"[REDACTED]","rates":[1.50,1e400]}';
    expect(redactor.redact({ text })).toEqual({ text: shown });
    expect(redactor.sanitize({ text })).toEqual({ text: shown.replace('"pin":"[REDACTED]",', '') });
  });

  it('drops keys in JSON texts of sanitized arguments', () => {
    const args: JsonObject = { body: '{"token":"x","a":1}', cookie: 'y' };
    expect(sanitize(args)).toEqual({ body: '{"a":1}' });
  });
});

describe('redactText', () => {
  it.each([
    ['failed: {\\"password\\":\\"x\\"} for you', 'failed: {\\"password\\":\\"[REDACTED]\\"} for you'],
    ['password=hunter2, user=bob', 'password=[REDACTED], user=bob'],
    ['a=1;password=x,y;b=2', 'a=1;password=[REDACTED];b=2'],
    ['-H "Authorization: Bearer abc" https://x', '-H "Authorization: [REDACTED]" https://x'],
    ['Authorization: Basic dXNlcg== failed', 'Authorization: [REDACTED] failed'],
    ['got Bearer abc.def-1', 'got Bearer [REDACTED]'],
    ['"api-key" : "a\\"b", "user name":"bob"', '"api-key" : "[REDACTED]", "user name":"bob"'],
    ['x {"token":{"a":"}"},"b":1} y', 'x {"token":"[REDACTED]","b":1} y'],
    ['https://h/p?token=abc&x=1', 'https://h/p?token=[REDACTED]&x=1'],
    ['Cookie: a=b; c=d; e rest', 'Cookie: [REDACTED]; e rest'],
    ['{"msg":"password=hunter2","user":"bob"}', '{"msg":"password=[REDACTED]","user":"bob"}'],
    ["{'password': 'x', 'a': 'b'}", "{'password': '[REDACTED]', 'a': 'b'}"],
    ['authorization: Digest username="a b", response="q w", z', 'authorization: [REDACTED], z'],
    ['my_password=x --password=z', 'my_password=x --password=[REDACTED]'],
    ['user[password]=x', 'user[password]=[REDACTED]'],
    ['private_key: -----BEGIN K-----\nab\n-----END K----- rest', 'private_key: [REDACTED] rest'],
    ['{"p\\u0061ssword" : "x"', '{"p\\u0061ssword" : "[REDACTED]"'],
    ['"password":"cut off', '"password":"[REDACTED]"'],
    ['"token":123,"b":2', '"token":"[REDACTED]","b":2'],
    ['token => "x", a', 'token => "[REDACTED]", a'],
    ['Unexpected token: }', 'Unexpected token: }'],
    ['nothing: here=to {"be":"seen"}', 'nothing: here=to {"be":"seen"}'],
  ])('makes of %s: %s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });

  const pieces = fc.string({
    unit: fc.constantFrom('password', 'cookie', 'x', '=', ':', ' ', '"', '\\', "'", ',', ';', '{', '}', '[', ']', '\n'),
  });

  it('never throws, and leaves no planted secret', () => {
    fc.assert(
      fc.property(fc.string(), pieces, spelledKey, (before, after, key) => {
        expect(redactText(`${before} ${key}=${planted} ${after}`)).not.toContain(planted);
        expect(redactText(`${before}\n${key}: ${planted}${after}`)).not.toContain(planted);
        expect(redactText(before + after)).toBeTypeOf('string');
      }),
      { numRuns: 2000 },
    );
  });

  it('takes a long text of anything', () => {
    const all = ['password=', 'password:"', '\\', '\\"', '"', '{', 'token:{', ':', '=', ' :', '-', 'a', 'Bearer ', ')'];
    for (const piece of [...all, 'cookie: a;', '-----BEGIN', 'token=,', '"token":"x",', '"a":', "secret='a'", '=\\']) {
      const text = piece.repeat(200_000 / piece.length);
      for (const given of [text, `password=${text}`, `token:{${text}`, `{${text}}`]) {
        expect(redactText(given)).toBeTypeOf('string'); // quadratic time would run into the time limit of the test
      }
    }
  });
});
