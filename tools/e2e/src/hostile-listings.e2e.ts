// URIs and lists of resources that are written to hold the event loop, against the real daemon: what is beyond the bounds
// is refused or left out by name, other callers are answered, and the server that was asked for receives nothing.
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1StdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { defaultLimits } from '@portico/contracts';
import { times } from '@portico-tools/fixtures/hostile-schemas';
import { beforeAll, describe, expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { type DaemonProcess, startDaemonProcess } from './support/daemon-process.js';
import { argsOf, connectClient, mcpStdioMain, placeOf } from './support/mcp.js';
import { type Definitions, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

/** For a broken product: without the bounds others wait for half a minute, until the watchdog ends the process. */
const longestWaitMs = 5000;

const maxLength = defaultLimits.uriCharacters;
const tooLong = `longer than ${maxLength} percent-encoded characters (limits.uriCharacters)`;

const start = async (mcpServers: object, limits: object = {}) => {
  const other = scripted({ tools: [tool('plain')] });
  const daemon = await startDaemonProcess({
    mcpServers: { other: other.server, ...mcpServers },
    policy: { deny: ['*.secret*'] },
    mcpHttpServer: { port: 0 },
    limits,
  });
  await daemon.connected();
  return daemon;
};

/** Runs something while another caller calls. Says how long that one had to wait at most. */
async function longestWaitDuring<T>(daemon: DaemonProcess, work: () => Promise<T>) {
  let isOver = false;
  const begun = work().finally(() => {
    isOver = true;
  });
  let waitedMs = 0;
  while (!isOver) {
    const startedAtMs = performance.now();
    expect((await daemon.call('other.plain', {})).status).toBe(200);
    waitedMs = Math.max(waitedMs, performance.now() - startedAtMs);
  }
  return { result: await begun, waitedMs };
}

describe('a URI of some megabytes', () => {
  const pieces = ['%25', '%2525', '%2e/', '../', '//', ';a', '#?', '\\', '\ufb00', '\u00e9', 'a'];
  let files: Scripted;
  let daemon: DaemonProcess;

  beforeAll(async () => {
    files = scripted({ resourceTemplates: [{ uriTemplate: 'file:///{+path}', name: 'any file' }] });
    daemon = await start({ files: files.server });
  });

  const long = (piece: string, bytes = 4_000_000) => `file:///${piece.repeat(bytes / JSON.stringify(piece).length)}`;

  it.each(pieces)('is refused by its length while other callers are answered, and not read: many %j', async (piece) => {
    const read = () => daemon.post('/v1/resources/read', { resource_id: `files.${long(piece)}` });
    const { result, waitedMs } = await longestWaitDuring(daemon, read);
    expect(result).toMatchObject({ status: 400, body: { error: { code: 'INVALID_ARGS' } } });
    expect(result).toMatchObject({ body: { error: { message: `the id of the resource is ${tooLong}` } } });
    expect([files.received('resources/read'), waitedMs < longestWaitMs]).toEqual([[], true]);
  });

  it('is refused to an MCP client to read, to watch and to complete', async () => {
    const client = await connectClient('v1', { kind: 'http', url: daemon.mcpUrl() });
    const uri = long('%25', 500_000);
    for (const name of [uri, `portico://files/${uri}`]) {
      await expect(client.request('resources/read', { uri: name })).rejects.toThrow(tooLong);
      await expect(client.request('resources/subscribe', { uri: name })).rejects.toThrow(tooLong);
    }
    const completion = { ref: { type: 'ref/resource', uri }, argument: { name: 'path', value: 'a' } };
    await expect(client.request('completion/complete', completion)).rejects.toThrow(tooLong);
    const methods = files.received().map(({ method }) => method);
    expect(methods.filter((method) => /read|subscribe|complete/.test(method))).toEqual([]);
  });

  it('is one that fits with one character less', async () => {
    const uri = `file:///${'a'.repeat(maxLength - 'files.file:///'.length)}`;
    expect((await daemon.post('/v1/resources/read', { resource_id: `files.${uri}` })).status).toBe(200);
    expect((await daemon.post('/v1/resources/read', { resource_id: `files.${uri}a` })).status).toBe(400);
    expect(files.received('resources/read').map(({ params }) => params.uri)).toEqual([uri]);
  });

  it('is read where limits.uriCharacters allows its length, and refused beyond that', async () => {
    const resourceTemplates = [{ uriTemplate: 'file:///{+path}', name: 'any file' }];
    const upstream = scripted({ resourceTemplates });
    const wider = await start({ files: upstream.server }, { uriCharacters: 10_000 });
    const uri = `file:///${'a'.repeat(10_000 - 'files.file:///'.length)}`;
    expect((await wider.post('/v1/resources/read', { resource_id: `files.${uri}` })).status).toBe(200);
    expect(await wider.post('/v1/resources/read', { resource_id: `files.${uri}a` })).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'INVALID_ARGS',
          message: 'the id of the resource is longer than 10000 percent-encoded characters (limits.uriCharacters)',
        },
      },
    });
    const client = await connectClient('v1', { kind: 'http', url: wider.mcpUrl() });
    await client.request('resources/read', { uri });
    expect(upstream.received('resources/read').map(({ params }) => params.uri)).toEqual([uri, uri]);
  });

  it('means nothing in the notice of a change', async () => {
    const loud = scripted({ tools: [tool('touch')] });
    const watched = await start({ loud: loud.server });
    const touch = () => watched.call('loud.touch', { uri: long('\ufb00'), times: 3 });
    const { result, waitedMs } = await longestWaitDuring(watched, touch);
    expect([result.status, waitedMs < longestWaitMs]).toEqual([200, true]);
  });
});

describe('a server whose list of resources takes long to compare', () => {
  const resource = (uri: string) => ({ uri, name: 'r' });
  const template = (uriTemplate: string) => ({ uriTemplate, name: 't' });
  const anyFile = [template('file:///{+path}')];

  it.each<[string, Definitions]>([
    [
      'URIs of a megabyte',
      { resources: ['%2525', '\ufb00'].map((piece) => resource(`file:///${piece.repeat(200_000)}`)) },
    ],
    ['thousands of long URIs', { resources: times(2000, (n) => resource(`file:///${n}${'\ufb00'.repeat(2000)}`)) }],
    ['templates of a megabyte', { resourceTemplates: [template(`file:///${'{a}-'.repeat(250_000)}`)] }],
    [
      'thousands of URIs and of templates',
      {
        resources: times(5000, (n) => resource(`file:///${'a/'.repeat(300)}${n}`)),
        resourceTemplates: times(5000, (n) => template(`file:///{+p}${'/{a}a'.repeat(50)}${n}`)),
      },
    ],
  ])('has what is beyond the bounds left out, while other callers are answered: %s', async (_what, offer) => {
    const daemon = await start({});
    const { resourceTemplates = [], ...rest } = offer;
    const hostile = scripted({ ...rest, resourceTemplates: [...anyFile, ...resourceTemplates], pageSize: 5000 });
    const { waitedMs } = await longestWaitDuring(daemon, async () => {
      await daemon.post('/v1/config/servers', { name: 'hostile', server: hostile.server });
      await daemon.connected('hostile');
      await eventually(async () => {
        const ids = await daemon.ids('resources');
        expect(ids.includes('hostile.file:///{+path}')).toBe(true); // a message with all of them would take seconds
      });
      const client = await connectClient('v1', { kind: 'http', url: daemon.mcpUrl() });
      await client.request('resources/list', {});
      await client.request('resources/templates/list', {});
      expect((await daemon.post('/v1/resources/read', { resource_id: 'hostile.file:///%61' })).status).toBe(200);
    });
    expect(waitedMs).toBeLessThan(longestWaitMs);
    const left = {
      server: 'hostile',
      message: expect.stringMatching(/^resources left out: .*4096.*2000000.*200 templates/),
    };
    expect(daemon.log()).toContainEqual(expect.objectContaining(left));
  });

  it('lists more or less where the limits of listings say so', async () => {
    const upstream = scripted({
      resources: times(3, (n) => resource(`x://${n}`)),
      resourceTemplates: times(300, (n) => template(`t${n}://{a}`)),
    });
    const limits = { listedUriCharacters: 10, listedTemplates: 250 };
    const daemon = await start({ many: upstream.server }, limits);
    const ids = await daemon.ids('resources');
    expect([ids.filter((id) => id.includes('x://')).length, ids.length]).toEqual([2, 252]);
    const message = expect.stringMatching(
      /^resources left out: .*10 characters of URIs in all \(limits.listedUriCharacters\), and 250 templates \(limits.listedTemplates\)$/,
    );
    expect(daemon.log()).toContainEqual(expect.objectContaining({ server: 'many', message }));
  });
});

describe('definitions that break the MCP schema', () => {
  const mendable = {
    tools: [
      { name: 'untyped', inputSchema: { properties: { a: { type: 'string' } } } },
      { name: 'empty', inputSchema: { type: 'object', properties: null, required: null } },
      { name: 'either', inputSchema: { type: ['object', 'null'], properties: { any: true } } },
      { name: 'icon', inputSchema: { type: 'object' }, icons: 'x.png', execution: { taskSupport: 'often' } },
      { name: 'output', inputSchema: { type: 'object' }, outputSchema: { type: 'object', properties: 7 } },
    ],
    resources: [{ uri: 'x://y', name: 'y', size: 'large', annotations: { audience: ['all'], priority: 7 } }],
    resourceTemplates: [{ uriTemplate: 'x://{y}', name: 'y', annotations: { lastModified: 'today' } }],
    prompts: [{ name: 'ask', arguments: [{ name: 'a', required: 'yes', description: null }] }],
  };
  const broken = {
    tools: [
      { name: 'text', inputSchema: { type: 'string' } },
      { name: 'list', inputSchema: { type: 'object', properties: ['a'] } },
      { name: 'required', inputSchema: { type: 'object', required: 'a' } },
      { name: 'property', inputSchema: { type: 'object', properties: { a: 'string' } } },
      { name: '', inputSchema: { type: 'object' } },
    ],
    resources: [
      { uri: '', name: 'nowhere' },
      { uri: 'notes.txt', name: 'relative' },
    ],
    resourceTemplates: [{ uriTemplate: '', name: 'none' }],
    prompts: [{ name: '' }],
  };
  const bad = scripted({
    tools: [...mendable.tools, ...broken.tools],
    resources: [...mendable.resources, ...broken.resources],
    resourceTemplates: [...mendable.resourceTemplates, ...broken.resourceTemplates],
    prompts: [...mendable.prompts, ...broken.prompts],
  });
  const config = { mcpServers: { other: scripted({ tools: [tool('plain')] }).server, bad: bad.server } };
  const exposed = { ...config, mcpExposure: 'native' };

  const strictListsOf = async (transport: V1HttpTransport | V1StdioTransport) => {
    const client = new V1Client({ name: 'strict', version: '1' });
    await client.connect(transport);
    onCleanup(() => client.close());
    await eventually(async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).filter((name) => /plain|output/.test(name))).toHaveLength(2);
    });
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const { prompts } = await client.listPrompts();
    const names = tools.map(({ name }) => name).filter((name) => /^bad|^other/.test(name));
    return [names, resources.length, resourceTemplates.length, prompts.length];
  };
  const served = [['bad__either', 'bad__empty', 'bad__icon', 'bad__output', 'bad__untyped', 'other__plain'], 1, 1, 1];

  it('break no list of a strict client, over HTTP and over stdio', async () => {
    const daemon = await startDaemonProcess({ ...exposed, mcpHttpServer: { port: 0 } });
    await daemon.connected();
    expect(await strictListsOf(new V1HttpTransport(new URL(daemon.mcpUrl())))).toEqual(served);

    const args = [mcpStdioMain, ...argsOf(placeOf(exposed))];
    expect(await strictListsOf(new V1StdioTransport({ command: process.execPath, args }))).toEqual(served);
  });

  it('are shown with their reasons in the list of servers', async () => {
    const daemon = await startDaemonProcess(config);
    await daemon.connected();
    const { body } = await daemon.get<{ servers: readonly Shown[] }>('/v1/servers');
    const [{ definition_problems: problems = [] } = {}] = body.servers.filter(({ id }) => id === 'bad');
    expect(problems.filter(({ left_out }) => left_out).map(({ list, name, reason }) => [list, name, reason])).toEqual([
      ['tools', 'text', 'inputSchema.type is "string", not "object"'],
      ['tools', 'list', 'inputSchema.properties is ["a"]'],
      ['tools', 'required', 'inputSchema.required is "a"'],
      ['tools', 'property', 'inputSchema.properties.a is "string", not a schema'],
      ['tools', '', 'its name is empty'],
      ['resources', '', 'its uri is empty'],
      ['resources', 'notes.txt', 'its uri is no absolute URI'],
      ['resourceTemplates', '', 'its uriTemplate is empty'],
      ['prompts', '', 'its name is empty'],
    ]);
    expect(problems.filter(({ left_out }) => !left_out).map(({ name }) => name)).toEqual([
      'untyped',
      'empty',
      'either',
      'icon',
      'output',
      'x://y',
      'x://{y}',
      'ask',
    ]);
    expect(body.servers.find(({ id }) => id === 'other')).not.toHaveProperty('definition_problems');
  });
});

interface Shown {
  readonly id: string;
  readonly definition_problems?: readonly {
    readonly list: string;
    readonly name: string;
    readonly left_out: boolean;
    readonly reason: string;
  }[];
}
