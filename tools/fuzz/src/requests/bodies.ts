// Bodies from JSON Schemas: valid ones, and the same with something wrong in them.
import fc from 'fast-check';
import type { JsonSchema } from '../openapi.js';
import { oddText, oddValue, toJsonText } from './odd.js';

/** Values that mean something to the service, by the name of the field that holds them. */
export type Hints = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Values of the schema. A field that has a hint is mostly given one of its values. */
export function validValue(schema: JsonSchema, hints: Hints, name = ''): fc.Arbitrary<unknown> {
  const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
  const own = bySchema(schema, hints, name);
  return hint === undefined ? own : fc.oneof({ weight: 6, arbitrary: hint }, { weight: 1, arbitrary: own });
}

function bySchema(schema: JsonSchema, hints: Hints, name: string): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => bySchema(choice, hints, name)));
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: numberOf(schema.minimum, -1000), max: numberOf(schema.maximum, 1_000_000) });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(validValue(schema.items ?? {}, hints, name), {
        minLength: numberOf(schema.minItems, 0),
        maxLength: Math.max(3, numberOf(schema.minItems, 0)),
      });
    case 'object':
      return object(schema, hints);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function text(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern), { maxLength: 60 });
  const min = numberOf(schema.minLength, 0);
  const max = numberOf(schema.maxLength, 100_000);
  return oddText.filter(({ length }) => length >= min && length <= max);
}

function object({ properties, required = [], additionalProperties }: JsonSchema, hints: Hints): fc.Arbitrary<unknown> {
  if (properties === undefined) {
    const value = additionalProperties ? validValue(additionalProperties, hints) : fc.jsonValue({ maxDepth: 2 });
    return fc.dictionary(fc.oneof(oddText, fc.string({ maxLength: 8 })), value, { maxKeys: 4, noNullPrototype: true });
  }
  const fields = Object.entries(properties).map(([name, schema]) => [name, validValue(schema, hints, name)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

interface Change {
  readonly at: number;
  readonly kind: 'replace' | 'remove' | 'add';
  readonly name: string;
  readonly value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(30),
  kind: fc.constantFrom('replace', 'remove', 'add'),
  name: fc.constantFrom('extra', '__proto__', 'constructor', 'ok', '0'),
  value: oddValue,
});

/** A value of the schema with one to three places of it replaced, removed, or added to. */
export function nearlyValid(base: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(base, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce(applyChange, structuredClone(value)));
}

function applyChange(root: unknown, { at, kind, name, value: given }: Change): unknown {
  const value = structuredClone(given); // later changes may reach into it
  const places = placesOf(root);
  const place = places[at % (places.length + 1)];
  if (place === undefined) return kind === 'remove' ? null : value;
  const { holder, key } = place;
  if (kind === 'remove' && !Array.isArray(holder)) delete (holder as Record<string, unknown>)[key];
  else if (kind === 'add')
    Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
  else (holder as Record<string, unknown>)[key] = value;
  return root;
}

function placesOf(value: unknown, depth = 0): readonly { readonly holder: object; readonly key: string }[] {
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  return Object.entries(value).flatMap(([key, member]) => [{ holder: value, key }, ...placesOf(member, depth + 1)]);
}

/** Text that is sent as the body: JSON, or what was JSON once. */
export function bodyText(schema: JsonSchema, hints: Hints): fc.Arbitrary<string> {
  const valid = validValue(schema, hints);
  return fc.oneof(
    { weight: 5, arbitrary: valid.map(toJsonText) },
    { weight: 5, arbitrary: nearlyValid(valid).map(toJsonText) },
    { weight: 1, arbitrary: oddValue.map(toJsonText) },
    { weight: 1, arbitrary: damagedText(valid.map(toJsonText)) },
  );
}

/** Cut off, repeated, with a byte order mark, doubled names, or no JSON at all. */
export function damagedText(whole: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(whole, fc.nat(400), fc.constantFrom('cut', 'twice', 'bom', 'names', 'comment', 'open', 'none'))
    .map(([json, at, damage]) => {
      switch (damage) {
        case 'cut':
          return json.slice(0, at % (json.length + 1));
        case 'twice':
          return json + json;
        case 'bom':
          return `\ufeff${json}`;
        case 'names':
          return json.replace('{', '{"__proto__":{"x":1},"__proto__":null,');
        case 'comment':
          return `/* x */${json}`;
        case 'open':
          return '[{"a":'.repeat(at * 300);
        default:
          return '';
      }
    });
}
