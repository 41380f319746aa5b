// Text of a stranger: no character that hides, covers or reorders survives, and what is shown means one text only.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, visibleJson, visibleKey, visibleText } from './visible-json.js';

const unseen = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The text behind a shown one: the reverse, which exists only where no two texts are shown alike. */
function readBack(shown: string): string {
  const spelled = shown.replace(/\\(?:u\{20 × (\d+)\}|u\{([0-9a-f]+)\}|[\s\S])/g, (whole, run, code) => {
    if (run !== undefined) return ' '.repeat(Number(run));
    if (code === undefined) return whole;
    const character = String.fromCodePoint(Number.parseInt(code, 16));
    return JSON.stringify(character).slice(1, -1);
  });
  return JSON.parse(spelled);
}

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom('\\', '"', 'u', '{', '}', '2', '0', ' ', '×', '\u0301', '\u202e', '\n', 'a', '\u0430'),
  }),
  fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 20 }),
);

describe('visibleJson', () => {
  it('lets no hidden character through, and shows no two texts alike', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = visibleJson(text);
        expect(shown).not.toMatch(unseen);
        expect(readBack(shown)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a right-to-left override', 'a\u202eb', '"a\\u{202e}b"'],
    ['an isolate', '\u2066x\u2069', '"\\u{2066}x\\u{2069}"'],
    ['a zero-width space and joiner', 'a\u200bb\u200dc', '"a\\u{200b}b\\u{200d}c"'],
    ['tag characters', 'hi\u{e0061}\u{e007f}', '"hi\\u{e0061}\\u{e007f}"'],
    ['a variation selector', 'a\ufe0f\u{e0100}', '"a\\u{fe0f}\\u{e0100}"'],
    ['blank letters', '\u2800\u3164\uffa0\u{1d159}\u{16fe4}', '"\\u{2800}\\u{3164}\\u{ffa0}\\u{1d159}\\u{16fe4}"'],
    ['spaces that are none', 'a\u00a0b\u3000c', '"a\\u{a0}b\\u{3000}c"'],
    ['line separators', 'a\u2028b\u0085c\nd', '"a\\u{2028}b\\u{85}c\\nd"'],
    ['a code point without a character', '\u{10ffff}\ufdd0', '"\\u{10ffff}\\u{fdd0}"'],
    ['half a pair', 'a\ud83d', '"a\\ud83d"'],
    ['an escape that is text', '\\u{202e}', '"\\\\u{202e}"'],
    ['a run of spaces', `a${' '.repeat(2000)}b`, '"a\\u{20 × 2000}b"'],
    ['an indentation', `a${' '.repeat(16)}b`, `"a${' '.repeat(16)}b"`],
    ['a tower of marks', `a${'\u0301'.repeat(6)}`, `"a${'\u0301'.repeat(4)}\\u{301}\\u{301}"`],
    ['a mark on the quote', '\u0338x', '"\\u{338}x"'],
    ['other scripts', 'пример 例え שלום é', '"пример 例え שלום é"'],
  ])('shows %s for what it is', (_what, text, shown) => {
    expect(visibleJson(text)).toBe(shown);
  });
});

describe('visibleKey', () => {
  it('leaves plain words bare, and quotes letters that only look like them', () => {
    expect(['to', '__proto__', 'a-b_1'].map(visibleKey)).toEqual(['to', '__proto__', 'a-b_1']);
    expect(['t\u043e', '', 'a b', '[0]', '1', 'a.b'].map(visibleKey)).toEqual([
      '"t\u043e"',
      '""',
      '"a b"',
      '"[0]"',
      '"1"',
      '"a.b"',
    ]);
  });
});

describe('cuts', () => {
  it('leave no half of a surrogate pair that was whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.nat(40), (text, length) => {
        const cut = cutText(text, length);
        expect(cut.text.isWellFormed()).toBe(true);
        expect(text.startsWith(cut.text)).toBe(true);
        expect([cut.text.length <= length, cut.isCut]).toEqual([true, text.length > length]);
      }),
    );
  });

  it('say how much is shown of how much', () => {
    expect(visibleText('a😀b', 2)).toEqual({ text: '"a"… (first 1 of 4 characters)', isCut: true });
    expect(visibleText('x'.repeat(81), 100).text).toBe(`"${'x'.repeat(81)}" (81 characters)`);
  });
});
