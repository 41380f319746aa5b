// A text written in parts equals that of JSON.stringify, byte for byte.
import { hasStringOver, nothingSent, successEnvelope } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopeBytes, longLength, toJsonBytes } from './large-json.js';

const long = 'x'.repeat(128 * 1024);

function write(value: object): { readonly text: string; readonly steps: number } {
  return readSteps(toJsonBytes(value));
}

function readSteps(steps: ReturnType<typeof toJsonBytes>): { readonly text: string; readonly steps: number } {
  for (let count = 0; ; count += 1) {
    const { done, value: bytes } = steps.next();
    if (done === true) return { text: new TextDecoder().decode(bytes), steps: count };
  }
}

describe('a value with a long string', () => {
  it.each<[string, object]>([
    ['a text', { ok: true, data: { content: [{ type: 'text', text: `${long}y` }] } }],
    ['text that has to be escaped', { text: '"\\\n\u0001'.repeat(100_000) }],
    [
      'text beyond the basic plane, at each place in a pair',
      { even: '😀'.repeat(200_000), odd: `a${'😀'.repeat(200_000)}` },
    ],
    ['halves of pairs', { high: `${long.slice(1)}\ud83d`.repeat(2), low: `${long}\ude00`.repeat(2) }],
    ['half of a pair before a pair, at the cut', { text: `${long.slice(1)}\ud83d\ud83d\ude00y` }],
    ['members that are undefined', { a: undefined, text: `${long}y`, b: undefined }],
    ['items that are undefined', { list: [undefined, `${long}y`, null] }],
    ['keys that are numbers, and __proto__', JSON.parse(`{"b":1,"10":2,"2":"${long}y","__proto__":{"a":1}}`)],
    ['a long list behind it', { text: `${long}y`, list: Array.from({ length: 1000 }, (_, n) => ({ n })) }],
  ])('is written as JSON.stringify writes %s', (_, value) => {
    expect(hasStringOver(value, longLength)).toBe(true);
    const { text, steps } = write(value);
    expect(text === JSON.stringify(value)).toBe(true); // a difference would be printed for minutes
    expect(steps).toBeGreaterThan(2);
  });

  it('is written as JSON.stringify writes it, wherever the string is', () => {
    const place = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.constant(`${long}y`),
        fc.jsonValue({ maxDepth: 2 }),
        tie('object'),
        tie('list'),
      ),
      object: fc.dictionary(fc.string(), tie('json'), { maxKeys: 4 }),
      list: fc.array(tie('json'), { maxLength: 4 }),
    }));
    fc.assert(
      fc.property(place.object as fc.Arbitrary<object>, (value) => write(value).text === JSON.stringify(value)),
      { numRuns: 50 },
    );
  });
});

describe('a value without one', () => {
  it.each<[string, object]>([
    ['is empty', {}],
    ['has a string that is just short enough', { text: long }],
    ['has its long string behind many others', { list: Array(100).fill(1), deep: { text: `${long}y` } }],
  ])('is distinguished from others where it %s', (_, value) => {
    expect(hasStringOver(value, longLength)).toBe(false);
    expect(write(value).text === JSON.stringify(value)).toBe(true);
  });
});

it.each([
  ['numbers that no double holds', `{"n":[${'1.0,1e400,'.repeat(20_000)}-0.0]}`],
  ['text beyond the basic plane', `{"even":"${'😀'.repeat(100_000)}","odd":"a${'😀'.repeat(100_000)}"}`],
  ['a text that looks like the end', `{"text":"${',\\"error\\":null}'.repeat(20_000)}"}`],
])('an envelope has the text of its data as it is, with %s', (_what, dataText) => {
  const envelope = successEnvelope({ requestId: 'r', traceId: 't' }, nothingSent, JSON.parse(dataText));
  const { text, steps } = readSteps(envelopeBytes(envelope, dataText));
  const [head = ''] = JSON.stringify({ ...envelope, data: 'DATA' }).split('"DATA"');
  expect(text === `${head}${dataText},"error":null}`).toBe(true);
  expect(steps).toBeGreaterThan(2);
});
