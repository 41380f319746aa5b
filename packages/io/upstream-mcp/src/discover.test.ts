import type { JsonObject } from '@portico/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { discover } from './discover.js';
import { rejected, unreachable } from './failures.js';
import { cleanUp, connect, fixture, httpServer, patience, startHttpFixture } from './testing/kit.js';

afterEach(cleanUp);

const everything = { tools: {}, resources: {}, prompts: {} };
const nothing = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

describe('reading the lists of a server', () => {
  it.each(['stdio', 'http'])('reads all pages, the one behind an empty cursor too (%s)', async (kind) => {
    const flags = ['--pages', '3', '--per-page', '40'];
    const server = kind === 'stdio' ? fixture(...flags) : httpServer((await startHttpFixture(...flags)).url);
    const { session } = await connect(server);

    const { tools, resources, prompts } = await session.discover(patience());

    const generated = (names: readonly string[]) => names.filter((name) => /_\d+_\d+$/.test(name));
    const expected = (kind: string) =>
      [1, 2, 3].flatMap((page) => Array.from({ length: 40 }, (_, index) => `${kind}_${page}_${index + 1}`));
    expect(generated(tools.map(({ name }) => name))).toEqual(expected('tool'));
    expect(generated(resources.map(({ name }) => name))).toEqual(expected('resource'));
    expect(generated(prompts.map(({ name }) => name))).toEqual(expected('prompt'));
  });

  it.each(['--modern', '--no-flag'])('keeps definitions whole (%s)', async (flag) => {
    const { session } = await connect(fixture(flag));

    const { tools, resources, resourceTemplates, prompts } = await session.discover(patience());

    expect(tools.find(({ name }) => name === 'structured')).toEqual({
      name: 'structured',
      title: 'Weather',
      description: 'Returns structured content.',
      inputSchema: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
      outputSchema: {
        type: 'object',
        properties: { celsius: { type: 'number' }, fahrenheit: { type: 'number' } },
        required: ['celsius', 'fahrenheit'],
      },
      annotations: { readOnlyHint: true, openWorldHint: true },
      icons: [{ src: 'data:image/png;base64,AA==' }],
    });
    expect(tools.find(({ name }) => name === 'echo')?._meta).toEqual({ tags: ['Demo', 'text'] });
    expect(resources[0]).toEqual({
      uri: 'fixture://text',
      name: 'text',
      title: 'A text',
      description: 'Plain text.',
      mimeType: 'text/plain',
      annotations: { audience: ['user'], priority: 0.5 },
      size: 5,
    });
    expect(resourceTemplates).toEqual([
      {
        uriTemplate: 'fixture://item/{id}',
        name: 'item',
        title: 'An item',
        mimeType: 'application/json',
        annotations: { audience: ['assistant'] },
      },
    ]);
    expect(prompts[0]).toMatchObject({
      name: 'greet',
      arguments: [{ name: 'name', description: 'Whom', required: true }, { name: 'tone' }],
    });
  });

  it('does not ask for what the server does not declare', async () => {
    const asked: string[] = [];
    const ask = async (method: string) => {
      asked.push(method);
      return { prompts: [{ name: 'one' }] };
    };
    expect(await discover(ask, { prompts: {} }, () => {})).toEqual({ ...nothing, prompts: [{ name: 'one' }] });
    expect(asked).toEqual(['prompts/list']);
  });

  it('takes a list the server does not know after all as empty, and a lost server as a failure', async () => {
    const notFound = async () => {
      throw rejected({ code: -32601, message: 'Method not found' });
    };
    expect(await discover(notFound, everything, () => {})).toEqual(nothing);
    const gone = async () => {
      throw unreachable('the process has ended', true);
    };
    await expect(discover(gone, everything, () => {})).rejects.toThrow('the process has ended');
  });

  it('skips entries without the field they are known by, and says so', async () => {
    const warnings: string[] = [];
    const lists: Record<string, JsonObject> = {
      'tools/list': { tools: [{ name: 'good', execution: { taskSupport: 'optional' } }, { title: 'nameless' }, 7] },
      'resources/list': { resources: [{ uri: 'a:b' }, { name: 'no uri' }] },
    };
    const ask = async (method: string) => lists[method] ?? {};

    expect(await discover(ask, everything, (warning) => warnings.push(warning))).toEqual({
      ...nothing,
      tools: [{ name: 'good', execution: { taskSupport: 'optional' }, inputSchema: { type: 'object' } }],
      problems: [
        { list: 'tools', name: '', left_out: true, reason: 'it has no name' },
        { list: 'tools', name: '', left_out: true, reason: 'it has no name' },
        { list: 'resources', name: '', left_out: true, reason: 'it has no uri' },
      ],
      resources: [{ uri: 'a:b', name: 'a:b' }],
    });
    expect(warnings.sort()).toEqual([
      'resources/list: skipped 1 entry without uri',
      'tools/list: skipped 2 entries without name',
    ]);
  });

  it('takes null as no field, drops fields of the wrong type with one warning, and keeps the rest', async () => {
    const warnings: string[] = [];
    const lists: Record<string, JsonObject> = {
      'tools/list': {
        tools: [
          {
            name: 'nulls',
            title: null,
            description: null,
            annotations: null,
            outputSchema: null,
            _meta: null,
            extra: null,
          },
          { name: 'wrong', title: 1, description: ['x'], inputSchema: 'any', outputSchema: [], _meta: 7, extra: 7 },
          {
            name: 'hints',
            annotations: { title: 5, readOnlyHint: 'yes', destructiveHint: null, openWorldHint: true, vendor: null },
          },
          { name: 'listed', annotations: [] },
          { name: 'fine', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
          { name: 'late', title: {} },
        ],
      },
      'resources/list': { resources: [{ uri: 'a:b', name: 3, mimeType: null, annotations: { priority: 1 } }] },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'b', mimeType: 9 }] },
      'prompts/list': {
        prompts: [
          { name: 'null', arguments: [null] },
          { name: 'text', arguments: 'name' },
          { name: 'nameless', arguments: [{ required: true }] },
          { name: 'good', arguments: [{ name: 'a', extra: 1 }] },
        ],
      },
    };
    const ask = async (method: string) => lists[method] ?? {};

    const { problems, ...definitions } = await discover(ask, everything, (warning) => warnings.push(warning));

    expect(problems?.map(({ name, left_out, reason }) => `${name} ${left_out}: ${reason}`)).toEqual([
      'wrong false: dropped or repaired: title, description, _meta, inputSchema, outputSchema',
      'hints false: dropped or repaired: annotations.title, annotations.readOnlyHint',
      'listed false: dropped or repaired: annotations',
      'late false: dropped or repaired: title',
      'a:b false: dropped or repaired: name',
      'a:{b} false: dropped or repaired: mimeType',
      'null false: dropped or repaired: arguments',
      'text false: dropped or repaired: arguments',
      'nameless false: dropped or repaired: arguments',
    ]);
    expect(definitions).toEqual({
      tools: [
        { name: 'nulls', extra: null, inputSchema: { type: 'object' } },
        { name: 'wrong', extra: 7, inputSchema: { type: 'object' } },
        { name: 'hints', annotations: { openWorldHint: true, vendor: null }, inputSchema: { type: 'object' } },
        { name: 'listed', inputSchema: { type: 'object' } },
        { name: 'fine', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
        { name: 'late', inputSchema: { type: 'object' } },
      ],
      resources: [{ uri: 'a:b', name: 'a:b', annotations: { priority: 1 } }],
      resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'b' }],
      prompts: [
        { name: 'null' },
        { name: 'text' },
        { name: 'nameless' },
        { name: 'good', arguments: [{ name: 'a', extra: 1 }] },
      ],
    });
    expect(warnings.sort()).toEqual([
      'prompts/list: dropped fields of the wrong type in 3 entries: "null" (arguments), "text" (arguments), "nameless" (arguments)',
      'resources/list: dropped fields of the wrong type in 1 entry: "a:b" (name)',
      'resources/templates/list: dropped fields of the wrong type in 1 entry: "a:{b}" (mimeType)',
      'tools/list: dropped fields of the wrong type in 4 entries: "wrong" (title, description, _meta, inputSchema, outputSchema), "hints" (annotations.title, annotations.readOnlyHint), "listed" (annotations) and 1 more',
    ]);
  });

  it('serves what can be read when a list is answered with an error, and says so', async () => {
    const warnings: string[] = [];
    const ask = async (method: string): Promise<JsonObject> => {
      if (method === 'tools/list') return { tools: [{ name: 'one', inputSchema: { type: 'object' } }] };
      throw rejected({ code: -32603, message: `no list today${'!'.repeat(5_000)}` });
    };

    expect(await discover(ask, everything, (warning) => warnings.push(warning))).toEqual({
      ...nothing,
      tools: [{ name: 'one', inputSchema: { type: 'object' } }],
    });
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatch(
      /^\S+: the server answered with an error, the list stays as it was: no list today!+… \(-32603\)$/,
    );
    expect(warnings[0]?.length).toBeLessThan(1_200);
  });

  it('keeps what was read before of a list that is refused now', async () => {
    const before = { ...nothing, tools: [{ name: 'kept', inputSchema: {} }], prompts: [{ name: 'gone' }] };
    const ask = async (method: string): Promise<JsonObject> => {
      if (method === 'tools/list') throw rejected({ code: -32603, message: 'busy' });
      return {};
    };
    expect(await discover(ask, everything, () => {}, before)).toEqual({ ...nothing, tools: before.tools });
  });

  it('fails when the tools are refused and nothing else can be read', async () => {
    const refuse = async (method: string): Promise<JsonObject> => {
      throw rejected({ code: method === 'prompts/list' ? -32601 : -32603, message: `${method} failed` });
    };
    await expect(discover(refuse, everything, () => {})).rejects.toThrow('tools/list failed');
    await expect(discover(refuse, { tools: {} }, () => {})).rejects.toThrow('tools/list failed');
    expect(await discover(refuse, { resources: {}, prompts: {} }, () => {})).toEqual(nothing);
  });

  it('leaves out what is beyond 10,000 entries', async () => {
    const warnings: string[] = [];
    let page = 0;
    const ask = async () => {
      page += 1;
      const prompts = Array.from({ length: 4_000 }, (_, index) => ({ name: `${page}_${index}` }));
      return { prompts, nextCursor: String(page) };
    };

    const { prompts } = await discover(ask, { prompts: {} }, (warning) => warnings.push(warning));

    expect(prompts).toHaveLength(10_000);
    expect(page).toBe(3);
    expect(warnings).toEqual(['prompts/list: more than 10000 entries (a fixed limit); the rest is left out']);
  });

  it('ends a list whose cursor comes again, and one that never ends', async () => {
    const warnings: string[] = [];
    const warn = (warning: string) => warnings.push(warning);
    const repeating = async () => ({ tools: [{ name: 'again', inputSchema: { type: 'object' } }], nextCursor: 'same' });
    expect((await discover(repeating, { tools: {} }, warn)).tools).toHaveLength(2);

    let page = 0;
    const endless = async () => {
      page += 1;
      return { tools: [], nextCursor: `page ${page}` };
    };
    await discover(endless, { tools: {} }, warn);
    expect(page).toBe(1_000);
    expect(warnings).toEqual([
      'tools/list: the server repeats a cursor; the list ends there',
      'tools/list: more than 1000 pages (a fixed limit); the rest is left out',
    ]);
  });
});
