// Arguments in the types of a schema: what is converted, and what is left to be refused.
import { clientBounds, type JsonObject, type JsonValue, parseExact, writeExact } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { connectPlane, tool } from '../../testing/start-plane.js';
import { coerceArguments } from './coerce-arguments.js';

const inputSchema: JsonObject = {
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 1 },
    rate: { type: ['number', 'null'] },
    all: { type: 'boolean' },
    name: { type: 'string' },
    ids: { type: 'array', items: { type: 'integer' } },
    filter: { type: 'object', properties: { 'a/b': { type: 'integer' } } },
    either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  },
  additionalProperties: false,
};

async function run(args: JsonObject, argumentChecks: string | null = 'coerce', schema = inputSchema) {
  const s = { definitions: { tools: [tool('t', { inputSchema: schema })] }, handle: () => ({ content: [] }) };
  const started = await connectPlane({ s }, { mcpServers: { s: { command: 'node', argumentChecks } } });
  const { error } = await started.execute({ kind: 'tool', id: 's.t', args });
  const sent = started.server('s').requests()[0]?.params.arguments;
  const { details, sanitized_args } = started.audit.kept().at(-1) ?? {};
  return { message: error?.message, sent, details, sanitized_args };
}

describe('a server whose arguments are coerced', () => {
  it.each<[JsonObject, JsonObject, string]>([
    [{ count: '2' }, { count: 2 }, 'args.count: string to integer'],
    [{ rate: '2.5' }, { rate: 2.5 }, 'args.rate: string to number'],
    [{ all: 'true' }, { all: true }, 'args.all: string to boolean'],
    [{ name: 7 }, { name: '7' }, 'args.name: number to string'],
    [{ ids: '[1,2]' }, { ids: [1, 2] }, 'args.ids: string to array'],
    [{ ids: [1, '2'] }, { ids: [1, 2] }, 'args.ids[1]: string to integer'],
    [{ filter: { 'a/b': '1' } }, { filter: { 'a/b': 1 } }, 'args.filter["a/b"]: string to integer'],
    [{ either: '1' }, { either: 1 }, 'args.either: string to integer'],
  ])('gets %j as %j, and records it', async (args, sent, change) => {
    expect(await run(args)).toEqual({ message: undefined, sent, details: { coerced: [change] }, sanitized_args: args });
  });

  it('gets what needs several conversions, and what needs none as it is', async () => {
    expect(await run({ filter: '{"a/b":"1"}', count: '3' })).toMatchObject({
      sent: { filter: { 'a/b': 1 }, count: 3 },
    });
    expect(await run({ count: 3, name: '3' })).toMatchObject({ sent: { count: 3, name: '3' }, details: undefined });
  });

  it.each<[JsonValue, string]>([
    ['two', 'args.count: must be integer'],
    ['2.5', 'args.count: must be integer'],
    ['0', 'args.count: must be integer'],
    ['', 'args.count: must be integer'],
    ['9007199254740993', 'args.count: must be integer'],
    [null, ''],
    [[2], 'args.count: must be integer'],
  ])('is not sent what does not say it: %j', async (count, message) => {
    const ran = await run({ count });
    expect([ran.message ?? '', ran.sent === undefined]).toEqual([message, message !== '']);
  });

  it.each([
    ['{"name":1098765432109876543}', '{"name":"1098765432109876543"}'],
    ['{"name":1.0}', '{"name":"1.0"}'],
    ['{"name":1e400}', '{"name":"1e400"}'],
    ['{"rate":"1098765432109876543"}', '{"rate":1098765432109876543}'],
    ['{"rate":" 1.50 "}', '{"rate":1.50}'],
    ['{"filter":"{\\"id\\":1098765432109876543}"}', '{"filter":{"id":1098765432109876543}}'],
    ['{"count":"2","filter":{"id":1098765432109876543}}', '{"count":2,"filter":{"id":1098765432109876543}}'],
    ['{"filter":{"id":1098765432109876543,"a/b":"2"}}', '{"filter":{"id":1098765432109876543,"a/b":2}}'],
    ['{"rate":1098765432109876543,"ids":[1,"2"]}', '{"rate":1098765432109876543,"ids":[1,2]}'],
  ])('gets every digit of %s', async (given, sent) => {
    const ran = await run(parseExact(given));
    expect([ran.message, writeExact(ran.sent)]).toEqual([undefined, sent]);
  });

  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const values = (count: number) => JSON.stringify(Array.from({ length: count - 1 }, () => 0));
  const half = clientBounds.values / 2;

  it.each<[string, JsonObject, boolean]>([
    ['as deep as a message may be', { any: nested(clientBounds.levels - 3) }, true],
    ['one level deeper', { any: nested(clientBounds.levels - 2) }, false],
    ['so deep that nothing could write it', { any: nested(100_000) }, false],
    ['as many values as a message may have', { any: values(half), more: values(half) }, true],
    ['one more', { any: values(half), more: values(half + 1) }, false],
  ])('gets what is in texts within the bounds of a message: %s', (_, args, isSent) => {
    const errorsIn = (given: JsonObject) => {
      const [key] = Object.keys(given).filter((each) => typeof given[each] === 'string');
      if (key === undefined) return undefined;
      return [{ keyword: 'type', params: { type: 'array' }, instancePath: `/${key}`, schemaPath: '' }];
    };
    expect(coerceArguments(errorsIn, args) !== undefined).toBe(isSent);
  });
});

it('a server whose arguments are not checked gets all arguments as they are', async () => {
  expect(await run({ count: 'x', other: 1 }, 'off')).toMatchObject({ sent: { count: 'x', other: 1 } });
});

it('a server without known definitions is not sent what its schema refuses', async () => {
  expect((await run({ count: '2' }, null)).message).toBe('args.count: must be integer');
});
