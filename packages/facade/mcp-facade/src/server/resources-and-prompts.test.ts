// Resources under their own URIs, prompts by alias or name, and completion of their arguments.
import { type MemoryServer, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { startFacade } from '../testing/start-facade.js';

const serverOf = (name: string): MemoryServer => ({
  definitions: {
    resources: [
      { uri: 'file:///shared', name: 'shared', mimeType: 'text/plain' },
      { uri: `file:///${name}`, name, size: 3 } as never, // fields that we do not know are kept
    ],
    resourceTemplates: [{ uriTemplate: `${name}://{id}`, name: 'item' }],
    prompts: [{ name: 'greet', title: 'Greet', arguments: [{ name: 'who', required: true }] }],
  },
  handle: ({ method, params }) => {
    if (params.uri === `${name}://missing`) {
      throw new UpstreamFailure('gone', { kind: 'rejected', error: { code: -32002, message: 'gone' } });
    }
    if (method === 'completion/complete') return { completion: { values: [name, 'b'], total: 2, hasMore: true } };
    if (method === 'prompts/get')
      return { messages: [{ role: 'user', content: { type: 'text', text: name } }], extra: 1 };
    return { contents: [{ uri: params.uri ?? '', text: name }] };
  },
});
const start = (file = {}) => startFacade({ servers: { one: serverOf('one'), two: serverOf('two') }, file });
const resultOf = (answer: { readonly body: unknown }) => (answer.body as { result: Record<string, unknown> }).result;

describe('resources', () => {
  it('are listed once each, and by server where two have the same', async () => {
    const { ask } = await start({ resourceAliases: { a: 'one.file:///one', b: 'one.file:///one' } });
    expect(resultOf(await ask('resources/list')).resources).toEqual([
      { uri: 'file:///one', name: 'one', size: 3 },
      { uri: 'portico://one/file:///shared', name: 'shared', mimeType: 'text/plain' },
      { uri: 'portico://two/file:///shared', name: 'shared', mimeType: 'text/plain' },
      { uri: 'file:///two', name: 'two', size: 3 },
    ]);
    expect(resultOf(await ask('resources/templates/list')).resourceTemplates).toEqual([
      { uriTemplate: 'one://{id}', name: 'item' },
      { uriTemplate: 'two://{id}', name: 'item' },
    ]);
  });

  it.each([
    ['file:///one', 'one'],
    ['two://7', 'two'],
    ['portico://two/file:///shared', 'two'],
    ['portico://one/one://8', 'one'],
  ])('%s is read from server %s', async (uri, server) => {
    const { ask } = await start();
    expect(resultOf(await ask('resources/read', { uri }))).toMatchObject({
      contents: [{ text: server }],
      ttlMs: expect.any(Number),
      cacheScope: expect.any(String),
    });
  });

  it.each(['file:///nobody', 'one://missing', 'portico://three/file:///shared'])(
    '%s is missing: -32602',
    async (uri) => {
      const { ask, openSession } = await start();
      const session = await openSession();
      for (const { body } of [await ask('resources/read', { uri }), await session.ask('resources/read', { uri })]) {
        expect(body).toMatchObject({ error: { code: -32602, data: { uri } } });
      }
    },
  );

  it('that two servers have are refused with the names that distinguish them', async () => {
    const { ask } = await start();
    const { body } = await ask('resources/read', { uri: 'file:///shared' });
    expect(body).toMatchObject({
      error: {
        code: -32602,
        message: expect.stringContaining('portico://one/file:///shared, portico://two/file:///shared'),
      },
    });
  });

  it('are those of the profile', async () => {
    const { ask } = await start({ profiles: { p: { servers: ['two'] } } });
    const path = '/mcp?profile=p';
    const { resources } = resultOf(await ask('resources/list', {}, { path })) as {
      resources: readonly { uri: string }[];
    };
    expect(resources.map(({ uri }) => uri)).toEqual(['file:///shared', 'file:///two']);
    expect(resultOf(await ask('resources/read', { uri: 'file:///shared' }, { path }))).toMatchObject({
      contents: [{ text: 'two' }],
    });
    const other = await ask('resources/read', { uri: 'portico://one/file:///shared' }, { path });
    expect(other.body).toMatchObject({ error: { code: -32602 } });
  });
});

describe('prompts', () => {
  const promptAliases = { hello: { target: 'one.greet', description: 'Says hello' } };

  it('are listed by alias, or by server and name', async () => {
    const { ask } = await start({ promptAliases });
    const rest = { title: 'Greet', arguments: [{ name: 'who', required: true }] };
    expect(resultOf(await ask('prompts/list')).prompts).toEqual([
      { name: 'hello', description: 'Says hello', ...rest },
      { name: 'two__greet', ...rest },
    ]);
  });

  it.each([
    ['hello', 'one'],
    ['two__greet', 'two'],
  ])('%s is got from server %s, as it is', async (name, server) => {
    const { ask } = await start({ promptAliases });
    const { _meta, resultType, ...result } = resultOf(await ask('prompts/get', { name, arguments: { who: 'x' } }));
    expect(result).toEqual({ messages: [{ role: 'user', content: { type: 'text', text: server } }], extra: 1 });
  });

  it.each([
    ['of nobody', { name: 'nobody' }],
    ['without a name', {}],
    ['with arguments that are none', { name: 'one__greet', arguments: 7 }],
  ])('%s: -32602', async (_what, params) => {
    const { openSession } = await start();
    const { ask } = await openSession();
    expect((await ask('prompts/get', params)).body).toMatchObject({ error: { code: -32602 } });
  });
});

describe('completion', () => {
  it.each([
    [{ type: 'ref/prompt', name: 'one__greet' }, 'one'],
    [{ type: 'ref/resource', uri: 'two://{id}' }, 'two'],
  ])('of %j asks server %s', async (ref, server) => {
    const { ask } = await start();
    const { body } = await ask('completion/complete', { ref, argument: { name: 'who', value: 'a' } });
    expect(body).toMatchObject({ result: { completion: { values: [server, 'b'], total: 2, hasMore: true } } });
  });

  it.each([
    [{ ref: { type: 'ref/prompt', name: 'nobody' }, argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/tool', name: 'x' }, argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/prompt', name: 'one__greet' }, argument: { name: 'a' } }],
    [{}],
  ])('of %j: -32602', async (params) => {
    const { openSession } = await start();
    const { ask } = await openSession();
    expect((await ask('completion/complete', params)).body).toMatchObject({ error: { code: -32602 } });
  });
});
