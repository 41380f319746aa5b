// Messages of a caller or a server that try to block all others: the tools of the hostile server, and the requests.
import type { JsonObject } from '@portico/contracts';
import { named, nested, overBudget, times, unchecked } from '../../../fixtures/src/hostile-schemas.js';

/** A request that one caller sends again and again. */
export interface Abuse {
  readonly name: string;
  readonly path: string;
  readonly body: JsonObject;
}

export interface HostileTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
  readonly description?: string;
}

const object: JsonObject = { type: 'object' };
const nestedText = (levels: number) => `${'{"a":'.repeat(levels)}null${'}'.repeat(levels)}`;
const manyNames = named(20_000, (at) => [`p${at}`, { at }]);

/** Beside those of the tests: keywords that look at much, in schemas that a server could mean. */
const more: Readonly<Record<string, { readonly schema: JsonObject; readonly args: JsonObject }>> = {
  unevaluated_properties: {
    schema: { allOf: times(20, () => ({ patternProperties: { '^p': object } })), unevaluatedProperties: false },
    args: manyNames,
  },
  unevaluated_items: {
    schema: { properties: { list: { allOf: times(30, () => ({ contains: object })), unevaluatedItems: false } } },
    args: { list: times(20_000, (at) => ({ at })) },
  },
  additional_properties: {
    schema: { additionalProperties: { anyOf: times(30, () => ({ type: 'string' })) } },
    args: manyNames,
  },
  formats: {
    schema: { properties: { list: { items: { format: 'email', pattern: '^[^@]+@[^@]+$' } } } },
    args: { list: times(2_000, () => `${'a'.repeat(500)}@x`) },
  },
  large_enum: {
    schema: { properties: { list: { items: { enum: times(10_000, (at) => `value-${at}`) } } } },
    args: { list: times(20_000, () => 'value-9999') },
  },
  large_const: {
    schema: { properties: { list: { items: { const: { all: times(2_000, (at) => ({ at })) } } } } },
    args: { list: times(36, () => ({ all: times(2_000, (at) => ({ at })) })) },
  },
  nulls: {
    schema: { properties: named(900, (at) => [`p${at}`, { type: 'string' }]) },
    args: named(20_000, (at) => [`p${at}`, null]),
  },
  deep_arguments: { schema: {}, args: nested(900) },
  large_arguments: { schema: {}, args: { list: times(49_000, (at) => ({ at, text: 'x'.repeat(40) })) } },
  small_lists: { schema: {}, args: { list: times(149_000, () => []) } },
  small_numbers: { schema: {}, args: { list: times(149_000, () => 1) } },
  many_numbers: { schema: {}, args: { list: times(2_000_000, () => 1) } },
  deep_text: { schema: {}, args: { text: nestedText(400_000) } },
  most_names: { schema: {}, args: named(39_000, (at) => [`p${at}`, at]) },
  too_many_names: { schema: {}, args: named(149_000, (at) => [`p${at}`, at]) },
  large_words: { schema: {}, args: { text: 'Bearer '.repeat(590_000) } },
};

const resultNames = [
  ...['large_text', 'large_json', 'deep_json', 'deep_text', 'rows', 'secrets', 'secret_keys', 'bearers'],
  ...['flat_names', 'nested_names', 'most_names', 'long_number', 'white_space'],
  ...['too_many_escapes', 'too_many_quotes', 'most_quotes', 'most_code_units', 'most_lines'],
];
const huge = 'all about values, lists and trees of things that are said at length. '.repeat(400);

export const hostileTools: readonly HostileTool[] = [
  ...Object.entries({ ...overBudget, ...more }).map(([name, { schema }]) => ({
    name,
    inputSchema: { ...object, ...schema },
  })),
  ...Object.entries(unchecked).map(([name, schema]) => ({ name, inputSchema: { ...object, ...schema } })),
  ...[...resultNames, 'storm'].map((name) => ({ name, inputSchema: object })),
  ...times(400, (at) => ({ name: `huge_${at}`, inputSchema: object, description: huge })),
];

const call = (name: string, tool: string, args: JsonObject): Abuse => ({
  name,
  path: '/v1/tools/call',
  body: { capability_id: `h.${tool}`, args },
});

const query = (name: string, jsonpath: string): Abuse => call(name, 'rows', { _jsonpath: jsonpath });

const words = 'vlaue lits tere thnig siad lenght valeu thigns lsit tre '.repeat(700);

export const abuses: readonly Abuse[] = [
  ...Object.entries({ ...overBudget, ...more }).map(([name, { args }]) => call(name, name, args)),
  ...Object.keys(unchecked).map((name) => call(`compiled: ${name}`, name, { a: 'b' })),
  ...resultNames.map((name) => call(`result: ${name}`, name, {})),
  query('query: nested descendants', '$..[?(@..[?(@..text)])]'),
  query('query: pattern', "$..[?search(@.text, '(?:a?b?){400}x')]"),
  query('query: wildcards', '$..*..*..*..*'),
  {
    name: 'batch: references',
    path: '/v1/tools/batch_call',
    body: {
      steps: [
        { id: 'a', capability_id: 'h.rows', args: {} },
        ...times(20, (at) => ({
          id: `s${at}`,
          capability_id: 'h.rows',
          args: {
            list: times(20, () => '$a.structuredContent.rows'),
            text: times(20, () => '${a.structuredContent.rows}').join(''),
          },
          continue_on_error: true,
        })),
      ],
    },
  },
  { name: 'search: typos', path: '/v1/capabilities/search', body: { query: words } },
  {
    name: 'search: prefixes',
    path: '/v1/capabilities/search',
    body: { query: 'v l t s a o d e u p '.repeat(800), limit: 100 },
  },
  call('storm of definitions', 'storm', {}),
];
