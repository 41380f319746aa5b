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

  it('takes a list the server does not know after all as empty, and any other failure as one', async () => {
    const notFound = async () => {
      throw rejected({ code: -32601, message: 'Method not found' });
    };
    expect(await discover(notFound, everything, () => {})).toEqual(nothing);
    const gone = async () => {
      throw unreachable('the process is gone', true);
    };
    await expect(discover(gone, everything, () => {})).rejects.toThrow('the process is gone');
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
      tools: [{ name: 'good', execution: { taskSupport: 'optional' }, inputSchema: {} }],
      resources: [{ uri: 'a:b', name: 'a:b' }],
    });
    expect(warnings.sort()).toEqual([
      'resources/list: skipped an entry without uri',
      'tools/list: skipped an entry without name',
      'tools/list: skipped an entry without name',
    ]);
  });

  it('ends a list whose cursor comes again, and one that never ends', async () => {
    const warnings: string[] = [];
    const warn = (warning: string) => warnings.push(warning);
    const repeating = async () => ({ tools: [{ name: 'again', inputSchema: {} }], nextCursor: 'same' });
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
      'tools/list: more than 1000 pages; the rest is left out',
    ]);
  });
});
