// Requests for one operation of the OpenAPI document: path, query, headers and body, from right to hopeless.
import fc from 'fast-check';
import type { HttpCase } from '../http.js';
import type { Operation } from '../openapi.js';
import { bodyText, type Hints } from './bodies.js';
import { headerText, oddText } from './odd.js';

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Lone surrogates cannot be escaped, and the head of a request has a limit. */
const encode = (value: unknown) => encodeURIComponent(String(value).slice(0, 1500).toWellFormed()).slice(0, 3000);

/** Segments that decode to something else, to nothing, or to a way out. */
const oddSegment = fc.oneof(
  fc.constantFrom(
    '%2F',
    '%2e%2e',
    '..%2f..',
    '%00',
    '%',
    '%zz',
    '%ff%fe',
    '%C0%AF',
    '.',
    '..',
    '~',
    '*',
    'a%20b',
    '%25',
    ';x=1',
    'a\\b',
    '\xff',
    '\xe9%',
  ),
  oddText.map((text) => encode(text)),
);

const oddQuery = fc.constantFrom(
  '',
  '?',
  '?=',
  '?&&',
  '?profile=',
  '?profile=none',
  '?limit=0',
  '?limit=1e3',
  '?limit=10&limit=x',
  '?offset=-1',
  '?offset=99999999999999999',
  '?%',
  '?__proto__=1',
  '?a[b]=c',
  '?profile=%ff',
  `?q=${'x'.repeat(4000)}`,
  '?after=%00',
);

/** Headers that any request may carry, whether or not the route knows them. */
const foreignHeaders: Hints = {
  accept: fc.constantFrom('text/html', '*/*', 'application/xml', ''),
  origin: fc.constantFrom('null', 'https://evil.example', 'http://localhost.evil.example'),
  authorization: fc.constantFrom('Bearer ', 'Bearer x', 'Basic eDp5', 'x'),
  'content-encoding': fc.constantFrom('gzip', 'identity', 'br, gzip'),
  'accept-encoding': fc.constantFrom('gzip', '*;q=0'),
  range: fc.constant('bytes=0-1'),
  'x-http-method-override': fc.constant('DELETE'),
  connection: fc.constantFrom('keep-alive', 'upgrade'),
  cookie: headerText,
};

const knownHeaders: Hints = {
  'Idempotency-Key': fc.constantFrom('key-1', 'key-2', 'a b', '\xc3\xa9', '\xff'),
  Prefer: fc.constantFrom(
    'wait=0',
    'wait=1',
    'respond-async',
    'wait=99999999999',
    'wait=x',
    'respond-async, wait=1',
    ';;,',
  ),
  traceparent: fc.constantFrom(
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
    'x',
  ),
  tracestate: fc.constantFrom('a=b', 'a=b,a=c', '='.repeat(600)),
  'X-Service-Profile': fc.constantFrom('all', 'half', 'none', ''),
  'If-None-Match': fc.constantFrom('*', '"x"', 'W/"x"', 'x, "y', '"sha256:0"'),
  'Last-Event-ID': fc.constantFrom('0', '1', 'x', '-1', '99999999999999999999'),
};

export interface CaseHints {
  /** By the name of a path parameter and the route, as `id /v1/approvals`. */
  readonly path: Hints;
  readonly query: Hints;
  readonly body: Hints;
}

export function httpCases(operation: Operation, hints: CaseHints): fc.Arbitrary<HttpCase> {
  return fc
    .tuple(methodOf(operation), targetOf(operation, hints), headersOf(operation), bodyOf(operation, hints.body))
    .map(([asked, target, { type, ...headers }, body]) => ({ asked, target, type, headers, body }))
    .map(({ asked, target, type, headers, body }) => ({
      // The parser refuses what is no URI before it knows the method, so a HEAD would be answered with a body.
      method: asked === 'HEAD' && !/^[\x21-\x7e]*$/.test(target) ? 'GET' : asked,
      target,
      headers: {
        ...(type === '' || (body === undefined && operation.body === undefined) ? {} : { 'content-type': type ?? '' }),
        ...headers,
      },
      ...(body === undefined || asked === 'TRACE' ? {} : { body }),
    }));
}

function methodOf({ method }: Operation): fc.Arbitrary<string> {
  const both = method === 'GET' ? ['GET', 'GET', 'HEAD'] : [method];
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...both) },
    { weight: 1, arbitrary: fc.constantFrom(...otherMethods) },
  );
}

function targetOf({ path, queries }: Operation, hints: CaseHints): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const root = path.split('/{')[0] ?? '';
  const segments = names.map((name) => {
    const known = hints.path[`${name} ${root}`] ?? hints.path[name] ?? fc.constant('x');
    const encoded = known.map((value) => encode(value));
    return fc.oneof({ weight: 5, arbitrary: encoded }, { weight: 2, arbitrary: oddSegment });
  });
  const query = fc.tuple(
    ...queries.map((name) => fc.option(queryValue(name, hints.query), { nil: undefined, freq: 4 })),
  );
  return fc
    .tuple(
      fc.tuple(...segments),
      query,
      fc.oneof({ weight: 6, arbitrary: fc.constant('') }, { weight: 1, arbitrary: oddQuery }),
    )
    .map(([values, given, odd]) => {
      let index = 0;
      const filled = path.replace(/\{\w+\}/g, () => values[index++] ?? '');
      const pairs = queries.flatMap((name, at) => (given[at] === undefined ? [] : [`${name}=${given[at]}`]));
      return odd === '' && pairs.length > 0 ? `${filled}?${pairs.join('&')}` : `${filled}${odd}`;
    });
}

function queryValue(name: string, hints: Hints): fc.Arbitrary<string> {
  const odd = oddText.map((text) => encode(text));
  const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
  if (hint === undefined) return odd;
  return fc.oneof({ weight: 4, arbitrary: hint.map((value) => encode(value)) }, { weight: 1, arbitrary: odd });
}

function headersOf({ headers }: Operation): fc.Arbitrary<Readonly<Record<string, string>>> {
  const named = headers.map((name) => {
    const hint = Object.hasOwn(knownHeaders, name) ? knownHeaders[name] : undefined;
    const value =
      hint === undefined ? headerText : fc.oneof({ weight: 3, arbitrary: hint }, { weight: 1, arbitrary: headerText });
    return [name, value] as const;
  });
  const own = fc.record(Object.fromEntries(named), { requiredKeys: [], noNullPrototype: true });
  const foreign = fc.record(foreignHeaders, { requiredKeys: [], noNullPrototype: true });
  const type = fc.oneof(
    { weight: 20, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        'text/plain',
        'application/json; charset=latin1',
        'APPLICATION/JSON;charset="utf-8"',
        'multipart/form-data',
      ),
    },
  );
  const some = <T>(value: fc.Arbitrary<T>, nothing: T, weight: number) =>
    fc.oneof({ weight: 1, arbitrary: value }, { weight, arbitrary: fc.constant(nothing) });
  return fc
    .tuple(type, some(own, {}, 1), some(foreign, {}, 12))
    .map(([chosen, known, unknown]) => ({ type: chosen, ...tame(known), ...tame(unknown) }));
}

/** Node refuses to send what is no header text; a header is at most so long that the whole head fits its limit. */
function tame(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    String(value).replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'),
  ]);
  const sizeUpTo = (count: number) => entries.slice(0, count).reduce((size, [, value = '']) => size + value.length, 0);
  return Object.fromEntries(entries.filter((_, index) => sizeUpTo(index + 1) < 12_000));
}

function bodyOf({ body, method }: Operation, hints: Hints): fc.Arbitrary<string | undefined> {
  if (body !== undefined) return bodyText(body, hints);
  if (method === 'GET') return fc.constant(undefined);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom('', '{}', '{"', 'x') },
  );
}
