import type { JsonValue } from '@portico/contracts';
import fc from 'fast-check';
import { compile } from 'json-p3';
import { describe, expect, it } from 'vitest';
import { parseQuery } from './parse-query.js';
import { runQuery } from './run-query.js';

function query(text: string, document: JsonValue): readonly JsonValue[] {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.message}`);
  return runQuery(parsed.query, document);
}

const books = [
  { category: 'reference', author: 'Nigel Rees', title: 'Sayings of the Century', price: 8.95 },
  { category: 'fiction', author: 'Evelyn Waugh', title: 'Sword of Honour', price: 12.99 },
  { category: 'fiction', author: 'Herman Melville', title: 'Moby Dick', isbn: '0-553-21311-3', price: 8.99 },
  {
    category: 'fiction',
    author: 'J. R. R. Tolkien',
    title: 'The Lord of the Rings',
    isbn: '0-395-19395-8',
    price: 22.99,
  },
] as const;
const bicycle = { color: 'red', price: 399 };
const bookstore = { store: { book: books, bicycle } };
const authors = books.map(({ author }) => author);
const [rees, waugh, melville, tolkien] = books;

describe('the examples of RFC 9535, section 1.5', () => {
  it.each<[string, readonly JsonValue[]]>([
    ['$.store.book[*].author', authors],
    ['$..author', authors],
    ['$.store.*', [books, bicycle]],
    ['$.store..price', [399, ...books.map(({ price }) => price)]],
    ['$..book[2]', [melville]],
    ['$..book[2].author', ['Herman Melville']],
    ['$..book[2].publisher', []],
    ['$..book[-1]', [tolkien]],
    ['$..book[0,1]', [rees, waugh]],
    ['$..book[:2]', [rees, waugh]],
    ['$..book[?@.isbn]', [melville, tolkien]],
    ['$..book[?@.price<10]', [rees, melville]],
  ])('%s', (text, expected) => {
    const found = query(text, bookstore);
    // The order of an object's members is free.
    if (text === '$.store..price') expect([...found].sort()).toEqual([...expected].sort());
    else expect(found).toEqual(expected);
  });

  it('$..* has all 27 nodes below the root', () => {
    expect(query('$..*', bookstore)).toHaveLength(27);
  });
});

describe('the selectors of RFC 9535, section 2.3', () => {
  const names = { o: { 'j j': { 'k.k': 3 } }, "'": { '@': 2 } };
  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const filtered = {
    a: [3, 5, 1, 2, 4, 6, { b: 'j' }, { b: 'k' }, { b: {} }, { b: 'kilo' }],
    o: { p: 1, q: 2, r: 3, s: 5, t: { u: 6 } },
    e: 'f',
  };
  const nested = { o: { j: 1, k: 2 }, a: [5, 3, [{ j: 4 }, { k: 6 }]] };
  it.each<[string, JsonValue, readonly JsonValue[]]>([
    ["$.o['j j']['k.k']", names, [3]],
    ['$.o["j j"]["k.k"]', names, [3]],
    [`$["'"]["@"]`, names, [2]],
    ['$[1]', letters, ['b']],
    ['$[-2]', letters, ['f']],
    ['$[7]', letters, []],
    ['$[-8]', letters, []],
    ['$[1:3]', letters, ['b', 'c']],
    ['$[5:]', letters, ['f', 'g']],
    ['$[1:5:2]', letters, ['b', 'd']],
    ['$[5:1:-2]', letters, ['f', 'd']],
    ['$[::-1]', letters, ['g', 'f', 'e', 'd', 'c', 'b', 'a']],
    ['$[1:5:0]', letters, []],
    ['$[-3:-1]', letters, ['e', 'f']],
    ['$[0,0]', letters, ['a', 'a']],
    ["$.a[?@.b == 'kilo']", filtered, [{ b: 'kilo' }]],
    ["$.a[?(@.b == 'kilo')]", filtered, [{ b: 'kilo' }]],
    ['$.a[?@>3.5]', filtered, [5, 4, 6]],
    ['$.a[?@.b]', filtered, [{ b: 'j' }, { b: 'k' }, { b: {} }, { b: 'kilo' }]],
    ['$[?@.*]', filtered, [filtered.a, filtered.o]],
    ['$[?@[?@.b]]', filtered, [filtered.a]],
    ['$.o[?@<3, ?@<3]', filtered, [1, 2, 1, 2]],
    ['$.a[?@<2 || @.b == "k"]', filtered, [1, { b: 'k' }]],
    ['$.a[?match(@.b, "[jk]")]', filtered, [{ b: 'j' }, { b: 'k' }]],
    ['$.a[?search(@.b, "[jk]")]', filtered, [{ b: 'j' }, { b: 'k' }, { b: 'kilo' }]],
    ['$.o[?@>1 && @<4]', filtered, [2, 3]],
    ['$.o[?@.u || @.x]', filtered, [{ u: 6 }]],
    ['$.a[?@.b == $.x]', filtered, [3, 5, 1, 2, 4, 6]],
    ['$.a[?@ == @]', filtered, filtered.a],
    ['$..j', nested, [1, 4]],
    ['$..[0]', nested, [5, { j: 4 }]],
    ['$..o', nested, [nested.o]],
    ['$.o..[*, *]', nested, [1, 2, 1, 2]],
    ['$.a..[0, 1]', nested, [5, 3, { j: 4 }, { k: 6 }]],
    ['$.a', { a: null }, [null]],
    ['$.a[0]', { a: null }, []],
    ['$.b[?@]', { b: [null] }, [null]],
    ['$.b[?@==null]', { b: [null] }, [null]],
    ['$.c[?@.d==null]', { c: [{}] }, []],
    ['$.null', { null: 1 }, [1]],
    ['$[0]', 'text', []],
    ['$.length', [1], []],
  ])('%s', (text, document, expected) => {
    expect(query(text, document)).toEqual(expected);
  });
});

describe('comparisons of RFC 9535, section 2.3.5.3', () => {
  const document = { obj: { x: 'y' }, arr: [2, 3] };
  it.each<[string, boolean]>([
    ['$.absent1 == $.absent2', true],
    ['$.absent1 <= $.absent2', true],
    ["$.absent == 'g'", false],
    ['$.absent1 != $.absent2', false],
    ["$.absent != 'g'", true],
    ['1 <= 2', true],
    ['1 > 2', false],
    ["13 == '13'", false],
    ["'a' <= 'b'", true],
    ["'a' > 'b'", false],
    ['$.obj == $.arr', false],
    ['$.obj != $.arr', true],
    ['$.obj == $.obj', true],
    ['$.arr == $.arr', true],
    ['$.obj == 17', false],
    ['$.obj <= $.arr', false],
    ['$.obj < $.arr', false],
    ['$.obj <= $.obj', true],
    ['$.arr <= $.arr', true],
    ['1 <= $.arr', false],
    ['1 != $.arr', true],
    ['true <= true', true],
    ['true > true', false],
    ['-0 == 0', true],
    ['1e1 == 10', true],
    ["'\\uD83D\\uDE00' > '\\uFFFD'", true], // by code point
  ])('%s is %s', (comparison, expected) => {
    expect(query(`$[?${comparison}]`, document)).toHaveLength(expected ? 2 : 0);
  });
});

describe('functions', () => {
  it.each<[string, JsonValue, readonly JsonValue[]]>([
    [
      '$[?length(@) == 2]',
      ['ab', '😀😀', 'a', [1, 2], { a: 1, b: 2 }, 2, null],
      ['ab', '😀😀', [1, 2], { a: 1, b: 2 }],
    ],
    ['$[?length(@.a) == length(@.b)]', [{ a: 'x', b: 'y' }, {}, { a: 1 }], [{ a: 'x', b: 'y' }, {}, { a: 1 }]],
    ['$[?count(@.*) > 1]', [[1], [1, 2], {}], [[1, 2]]],
    ['$[?value(@..x) == 1]', [{ x: 1 }, { x: 1, y: { x: 1 } }], [{ x: 1 }]],
    ["$[?match(@, 'a.c')]", ['abc', 'a\nc', 'a\rc', 'a\u2028c', 'abcd', 'a😀c', 1], ['abc', 'a\u2028c', 'a😀c']],
    ["$[?match(@, 'ab|c')]", ['ab', 'c', 'abc'], ['ab', 'c']],
    ["$[?search(@, '[.]')]", ['a.b', 'ab'], ['a.b']],
    ["$[?search(@, '\\\\.')]", ['a.b', 'ab'], ['a.b']],
    ["$[?match(@, '^ab.*')]", ['abc', 'xab'], ['abc']],
    ["$[?search(@, '(')]", ['('], []],
    ["$[?search(@, '(a)\\\\1')]", ['aa'], []],
    [
      '$[?match(@.s, @.p)]',
      [
        { s: 'é', p: '\\p{L}' },
        { s: '1', p: '\\p{L}' },
      ],
      [{ s: 'é', p: '\\p{L}' }],
    ],
    ['$[?!match(@, "a")]', ['a', 'b'], ['b']],
  ])('%s', (text, document, expected) => {
    expect(query(text, document)).toEqual(expected);
  });

  it('a pattern that keeps backtracking engines busy without end costs nothing here', () => {
    expect(query("$[?match(@, '(a*)*b')]", ['a'.repeat(50_000)])).toEqual([]);
  });
});

describe('parseQuery', () => {
  it.each([
    '',
    ' $',
    '$ ',
    '$.',
    '$.a.',
    '$[',
    '$[]',
    '$[01]',
    '$[-0]',
    '$[9007199254740992]',
    '$[1:2:3:4]',
    "$['\\\"']",
    '$["\\ud800"]',
    '$[?1]',
    '$[?@.a==1==2]',
    '$[?@.*==1]',
    '$[?length(@.*)>1]',
    '$[?length(@.a)]',
    '$[?!length(@.a)]',
    '$[?@.a&&length(@.a)]',
    '$[?@.a&&true]',
    '$[?count(1)>1]',
    '$[?match(@.a,"x")==true]',
    '$[?!@.a==1]',
    '$[?foo(@.a)]',
    '$.1a',
    '$...a',
    '$[(@.length-1)]',
    '$[?@==@.a[*]]',
    '$[a]',
    '$.a,b',
    '$[?@.a=~/x/]',
    '$.~',
    '$[?constructor(@)]',
  ])('refuses %s', (text) => {
    expect(parseQuery(text)).toEqual({ ok: false, message: expect.stringContaining('RFC 9535') });
  });

  it.each([
    ['$', true],
    ["$.a[0]['b'][-1]", true],
    ['$..a', false],
    ['$[0,1]', false],
    ['$[*]', false],
    ['$[0:1]', false],
    ['$[?@]', false],
  ])('%s is singular: %s', (text, isSingular) => {
    expect(parseQuery(text)).toMatchObject({ ok: true, query: { isSingular } });
  });

  it.each(['(', '!(', 'length(', 'f(', '@[?', '@[?(', '@[?count(', '-', '"', '\\'])(
    'is done quickly with a run of %s',
    (part) => {
      const before = process.cpuUsage();
      parseQuery(`$[?${part.repeat(2_000)}`.slice(0, 4_096));
      const { user, system } = process.cpuUsage(before); // independent of the load of the machine
      expect((user + system) / 1000).toBeLessThan(1_000);
    },
  );
});

describe('every query', () => {
  const name = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'é');
  const leaf = fc.constantFrom<JsonValue>(null, true, 0, 1, 2, 'a', 'b', '');
  const document = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  })).value;
  const index = fc.integer({ min: -4, max: 4 });
  const bound = fc.option(index, { nil: '' }).map(String);
  const singular = fc
    .array(
      fc.oneof(
        name.map((n) => `['${n}']`),
        index.map((i) => `[${i}]`),
      ),
      { maxLength: 2 },
    )
    .map((parts) => parts.join(''));
  const operand = fc.oneof(
    singular.map((path) => `@${path}`),
    singular.map((path) => `$${path}`),
    fc.constantFrom('1', "'a'", 'null', 'true', 'count(@.*)', 'value(@..a)'),
  );
  const test = fc.oneof(
    fc.tuple(operand, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), operand).map((parts) => parts.join('')),
    singular.map((path) => `@${path}`),
    fc.constant('!@..a'),
  );
  const selector = fc.oneof(
    name.map((n) => `'${n}'`),
    index.map(String),
    fc.tuple(bound, bound, bound).map((parts) => parts.join(':')),
    fc.constant('*'),
    fc.tuple(test, fc.constantFrom('&&', '||'), test).map(([left, operator, right]) => `?${left} ${operator} ${right}`),
  );
  const segment = fc
    .tuple(fc.constantFrom('', '..'), fc.array(selector, { minLength: 1, maxLength: 2 }))
    .map(([dots, selectors]) => `${dots}[${selectors.join()}]`);
  const anyQuery = fc.array(segment, { maxLength: 3 }).map((segments) => `$${segments.join('')}`);

  it('selects what the library that reads it selects, in the same order', () => {
    fc.assert(
      fc.property(document, anyQuery, (value, text) => {
        // The library's types are mutable; it does not change what it reads.
        const expected = compile(text)
          .query(value as never)
          .values();
        expect(query(text, value)).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});
