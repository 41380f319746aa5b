// A client that comes before its servers are known: what waits, for what, and for how long.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { startFacade } from '../testing/start-facade.js';

const waitMs = 5000;
const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
const definitions = {
  tools: [tool('echo')],
  resources: [{ uri: 'note:a', name: 'a' }],
  resourceTemplates: [{ uriTemplate: 'file:{path}', name: 'f' }],
  prompts: [{ name: 'hi' }],
};
const handle = () => ({ content: [], contents: [], messages: [], completion: { values: [] } });

/** A server whose first attempt to connect ends when the test says so. */
function heldServer(rest: Partial<MemoryServer> = {}) {
  const held = { open: () => {}, fail: () => {}, server: {} as MemoryServer };
  const opened = new Promise<void>((resolve, reject) => {
    held.open = resolve;
    held.fail = () => reject(new Error('cannot start'));
  });
  held.server = { definitions, handle, onConnect: () => opened, ...rest };
  return held;
}

async function setUp(file: object = { mcpExposure: 'native' }, more: Readonly<Record<string, MemoryServer>> = {}) {
  const held = heldServer();
  const facade = await startFacade({ servers: { slow: held.server, ...more }, file });
  const session = await facade.openSession();
  const advance = async (ms: number) => {
    await facade.clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve)); // streams of web requests take turns of the event loop
      await facade.clock.advance(0);
    }
  };
  /** Asks, and lets what can be answered at once be answered. */
  const begin = async (ask: Promise<{ readonly body: unknown }>) => {
    const answers: JsonObject[] = [];
    void ask.then(({ body }) => answers.push(body as JsonObject));
    await advance(0);
    return answers;
  };
  const requests = () => facade.server('slow').requests().length;
  return { ...facade, session, held, advance, begin, requests };
}

const native = { mcpExposure: 'native' };
const never: MemoryServer = { definitions, onConnect: () => new Promise<never>(() => {}) };
const ready: MemoryServer = { definitions: { tools: [tool('now')] }, handle };

const namesIn = (answer: JsonObject | undefined, list = 'tools') =>
  ((answer?.result as JsonObject | undefined)?.[list] as readonly JsonObject[] | undefined)?.map(
    ({ name, uri, uriTemplate }) => uri ?? uriTemplate ?? name,
  );

describe('a list of a client that comes before its servers are known', () => {
  it.each([
    ['tools/list', 'tools', ['slow__echo']],
    ['resources/list', 'resources', ['note:a']],
    ['resources/templates/list', 'resourceTemplates', ['file:{path}']],
    ['prompts/list', 'prompts', ['slow__hi']],
  ])('%s waits for them', async (method, list, names) => {
    const { session, ask, held, advance, begin } = await setUp();
    const [legacy, modern] = [await begin(session.ask(method)), await begin(ask(method))];
    await advance(waitMs - 1);
    expect([legacy, modern]).toEqual([[], []]);
    held.open();
    await advance(0);
    expect([namesIn(legacy[0], list), namesIn(modern[0], list)]).toEqual([names, names]);
  });

  it('has what there is when the time is over, and no later one of that client waits', async () => {
    const { session, openSession, advance, begin, clock } = await setUp(native, { hung: never, ready });
    const first = await begin(session.ask('tools/list'));
    await advance(2000);
    const second = await begin(session.ask('prompts/list', {}, 2));
    await advance(2999);
    expect([first, second]).toEqual([[], []]);
    await advance(1);
    expect([namesIn(first[0]), namesIn(second[0], 'prompts')]).toEqual([['ready__now'], []]);
    expect(namesIn((await begin(session.ask('tools/list', {}, 3)))[0])).toEqual(['ready__now']);
    const other = await begin((await openSession()).ask('tools/list'));
    await advance(waitMs - 1);
    expect(other).toEqual([]); // another client has a time of its own
    await advance(1);
    expect([other.length, clock.now()]).toEqual([1, 2 * waitMs]);
  });

  it('costs clients without a session the time of a hung server once', async () => {
    const { ask, advance, begin } = await setUp(native, { hung: never });
    const first = await begin(ask('tools/list'));
    await advance(waitMs);
    expect([first.length, (await begin(ask('resources/list'))).length]).toEqual([1, 1]);
  });

  it('waits for none that could not be reached', async () => {
    const { session, held, advance, begin } = await setUp();
    const first = await begin(session.ask('tools/list'));
    held.fail();
    await advance(0);
    expect([namesIn(first[0]), (await begin(session.ask('tools/list', {}, 2))).length]).toEqual([[], 1]);
  });

  it('waits for no server if the configuration says 0', async () => {
    const { session, ask, begin } = await setUp({ ...native, mcp: { firstListWaitMs: 0 } });
    const lists = [await begin(session.ask('tools/list')), await begin(ask('tools/list'))];
    expect(lists.map(([list]) => namesIn(list))).toEqual([[], []]);
  });

  it('waits for none that its profile does not show', async () => {
    const file = { ...native, profiles: { p: { servers: ['ready'] } } };
    const { ask, begin } = await setUp(file, { ready });
    const [list] = await begin(ask('tools/list', {}, { path: '/mcp?profile=p' }));
    expect(namesIn(list)).toEqual(['ready__now']);
  });

  it('of the facade’s own tools waits only for aliases that are passed through', async () => {
    const capabilityAliases = { say: { target: 'slow.echo', passthrough: true } };
    const [plain, aliased] = [await setUp({}), await setUp({ capabilityAliases })];
    expect(await plain.begin(plain.session.ask('tools/list'))).toHaveLength(1);
    const list = await aliased.begin(aliased.session.ask('tools/list'));
    expect(list).toEqual([]);
    aliased.held.open();
    await aliased.advance(0);
    expect(namesIn(list[0])).toContain('say');
  });

  it('waits no longer when the service stops', async () => {
    const { session, plane, begin, advance } = await setUp();
    const list = await begin(session.ask('tools/list'));
    const closed = plane.close(0);
    await advance(0);
    expect(list).toHaveLength(1);
    await closed;
  });

  it('leaves no timer behind, and adds none if everything is known', async () => {
    const { session, held, advance, begin, clock } = await setUp();
    await advance(0);
    const before = clock.sleeping();
    await begin(session.ask('tools/list'));
    held.open();
    await advance(100); // notices of the change are coalesced
    expect(clock.sleeping()).toBeLessThan(before); // that of the first attempt has ended
    const after = clock.sleeping();
    await begin(session.ask('tools/list', {}, 2));
    expect(clock.sleeping()).toBe(after);
  });
});

describe('a call of a client that comes before its server is known', () => {
  const calls: readonly (readonly [string, JsonObject, object])[] = [
    ['tools/call', { name: 'slow__echo', arguments: {} }, { mcpExposure: 'native' }],
    [
      'tools/call',
      { name: 'say', arguments: {} },
      { capabilityAliases: { say: { target: 'slow.echo', passthrough: true } } },
    ],
    ['tools/call', { name: 'capability_call', arguments: { capability_id: 'slow.echo', args: {} } }, {}],
    [
      'tools/call',
      { name: 'capabilities_batch_call', arguments: { steps: [{ id: 'a', capability_id: 'slow.echo', args: {} }] } },
      {},
    ],
    ['tools/call', { name: 'resource_read', arguments: { resource_id: 'note:a' } }, {}],
    ['tools/call', { name: 'prompt_get', arguments: { prompt_id: 'slow.hi' } }, {}],
    ['resources/read', { uri: 'note:a' }, {}],
    ['resources/read', { uri: 'portico://slow/note:a' }, {}],
    ['prompts/get', { name: 'slow__hi' }, {}],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'slow__hi' }, argument: { name: 'x', value: '' } }, {}],
  ];

  it.each(calls)('waits for it, and runs once (%s %j)', async (method, params, file) => {
    for (const kind of ['legacy', 'modern'] as const) {
      const { session, ask, held, advance, begin, requests } = await setUp(file, { hung: never });
      const answers = await begin(kind === 'legacy' ? session.ask(method, params) : ask(method, params));
      await advance(waitMs - 1);
      expect([answers, requests()]).toEqual([[], 0]);
      held.open();
      await advance(0);
      expect(answers).toMatchObject([{ result: {} }]);
      expect([answers[0]?.result, requests()]).toEqual([expect.not.objectContaining({ isError: true }), 1]);
    }
  });

  it.each([
    ['tools/call', { name: 'nobodys__tool' }],
    ['tools/call', { name: 'ready__gone' }],
    ['prompts/get', { name: 'ready__gone' }],
  ])('waits for no server if none can have it (%s %j)', async (method, params) => {
    const { session, begin } = await setUp(native, { ready });
    expect(await begin(session.ask(method, params))).toMatchObject([{ error: { code: -32602 } }]);
  });

  it('finds that it does not exist once the server is known, or says that it is still connecting', async () => {
    const one = await setUp(native);
    const unknown = await one.begin(one.session.ask('tools/call', { name: 'slow__gone' }));
    expect(unknown).toEqual([]);
    one.held.open();
    await one.advance(0);
    expect(unknown).toMatchObject([{ error: { code: -32602, message: 'Unknown tool: slow__gone' } }]);
    const other = await setUp(native);
    const late = await other.begin(other.session.ask('tools/call', { name: 'slow__echo' }));
    await other.advance(waitMs);
    expect(late).toMatchObject([{ result: { isError: true } }]);
    expect(JSON.stringify(late)).toContain('still connecting');
  });

  it('is not run if it was cancelled in between', async () => {
    const { session, post, held, advance, begin, requests, clock } = await setUp(native);
    const before = clock.sleeping();
    void session.ask('tools/call', { name: 'slow__echo', arguments: {} }, 7).catch(() => {});
    await advance(0);
    expect(clock.sleeping()).toBe(before + 1);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    await begin(post(cancelled, session.headers));
    expect(clock.sleeping()).toBe(before);
    held.open();
    await advance(0);
    expect(requests()).toBe(0);
  });
});

describe('a search of a client that comes before its servers are known', () => {
  it.each(['capability_search', 'capabilities_list', 'resources_list', 'prompts_list'])('%s waits', async (name) => {
    const { session, held, advance, begin } = await setUp({});
    const found = await begin(
      session.ask('tools/call', { name, arguments: name === 'capability_search' ? { query: 'echo' } : {} }),
    );
    expect(found).toEqual([]);
    held.open();
    await advance(0);
    expect(JSON.stringify(found[0])).toMatch(/slow\.(echo|hi|note:a)/);
  });
});
