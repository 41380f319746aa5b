// MCP Apps (SEP-1865) from end to end: servers made with the official helpers, and the host's side of the official package.
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { App } from '@modelcontextprotocol/ext-apps';
import { AppBridge, getToolUiResourceUri, isToolVisibilityAppOnly } from '@modelcontextprotocol/ext-apps/app-bridge';
import { EXTENSION_ID, getUiCapability, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server';
import { parseJson } from '@portico/contracts';
import { appsServerPath } from '@portico-tools/fixtures/paths';
import { describe, expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { startDaemon } from './support/daemon.js';
import { startMcpHttp } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const serverOf = (...args: readonly string[]) => ({ command: process.execPath, args: [appsServerPath, ...args] });
const two = { one: serverOf('one'), two: serverOf('two', '--legacy') };
const ui = { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } };
const eras = ['legacy', 'modern'] as const;

/** A host of the official client. @param extensions that it declares */
async function connectHost(url: string, era: (typeof eras)[number], extensions: object = ui): Promise<Client> {
  const client = new Client(
    { name: 'host', version: '1' },
    {
      capabilities: { extensions: { ...extensions } },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : era },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onCleanup(() => client.close());
  return client;
}

async function startHost(era: (typeof eras)[number], mcpServers: object = two, extensions: object = ui) {
  const { url } = await startMcpHttp({ mcpServers, mcpExposure: 'native' });
  const client = await connectHost(url, era, extensions);
  const tools = await eventually(async () => {
    const listed = (await client.listTools(undefined, { cacheMode: 'refresh' })).tools;
    for (const server of Object.keys(mcpServers)) {
      expect(listed.some(({ name }) => name.startsWith(`${server}__`))).toBe(true);
    }
    return listed;
  });
  return { client, tools };
}

const toolOf = <T extends { readonly name: string }>(tools: readonly T[], name: string): T => {
  const found = tools.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
};

describe.each(eras)('a host of the %s era', (era) => {
  it('finds, reads and distinguishes the pages of two servers that have one URI', async () => {
    const { client, tools } = await startHost(era);
    expect(getUiCapability(client.getServerCapabilities() as never)).toEqual({ mimeTypes: [RESOURCE_MIME_TYPE] });
    for (const server of ['one', 'two']) {
      const uri = getToolUiResourceUri(toolOf(tools, `${server}__show`));
      expect(uri).toBe(`ui://${server}/dashboard/view.html`);
      const { contents } = await client.readResource({ uri: uri ?? '' });
      expect(contents).toEqual([
        {
          uri,
          mimeType: RESOURCE_MIME_TYPE,
          text: `<!doctype html><title>${server}</title>`,
          _meta: { ui: { csp: { connectDomains: [`https://${server}.example`] }, prefersBorder: true } },
        },
      ]);
      const { resources } = await client.listResources();
      expect(resources.map((resource) => resource.uri)).toContain(uri);
      const { content } = await client.callTool({ name: `${server}__show`, arguments: {} });
      expect(content).toContainEqual(expect.objectContaining({ type: 'resource_link', uri }));
      expect(isToolVisibilityAppOnly(toolOf(tools, `${server}__refresh`))).toBe(true);
    }
  });

  it('bridges an app, which calls tools and reads pages by the names that its server gave them', async () => {
    const { client, tools } = await startHost(era, { one: serverOf('one') });
    const shown = toolOf(tools, 'one__show');
    const bridge = new AppBridge(client, { name: 'host', version: '1' }, { serverTools: {}, serverResources: {} });
    const app = new App({ name: 'view', version: '1' }, {}, { autoResize: false });
    const [ofHost, ofApp] = InMemoryTransport.createLinkedPair();
    const initialized = new Promise<void>((resolve) => {
      bridge.oninitialized = () => resolve();
    });
    await bridge.connect(ofHost);
    await app.connect(ofApp);
    onCleanup(() => app.close());
    await initialized;
    const refreshed = await app.callServerTool({ name: 'refresh', arguments: {} });
    expect(refreshed.content).toEqual([{ type: 'text', text: 'new data of one' }]);
    const byOwnName = await app.readServerResource({ uri: 'ui://dashboard/view.html' });
    const byName = await app.readServerResource({ uri: getToolUiResourceUri(shown) ?? '' });
    expect(byOwnName.contents).toEqual(byName.contents);
  });

  it.each([
    ['declares the extension', ui, { mimeTypes: [RESOURCE_MIME_TYPE] }],
    [
      'declares one that Portico does not know as well',
      { ...ui, 'com.example/x': {} },
      { mimeTypes: [RESOURCE_MIME_TYPE] },
    ],
    ['does not declare it', {}, null],
  ])(
    'that %s: a server of 2026-07-28 learns of it with each call, and one of 2025-11-25 at connect',
    async (_what, extensions, declared) => {
      const { client } = await startHost(era, two, extensions);
      const declaredTo = async (server: string) => {
        const { content } = await client.callTool({ name: `${server}__declared`, arguments: {} });
        return parseJson((content as readonly { text: string }[])[0]?.text ?? '');
      };
      expect(await declaredTo('one')).toEqual(declared);
      expect(await declaredTo('two')).toEqual({ mimeTypes: [RESOURCE_MIME_TYPE] });
    },
  );
});

describe('what is declared', () => {
  it('to a server of 2025-11-25 at connect has the extension', async () => {
    const upstream = scripted({ tools: [tool('echo')] });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    expect(upstream.received('initialize')[0]?.params).toMatchObject({ capabilities: { extensions: ui } });
  });
});

describe('the HTTP API', () => {
  it('names a page by its server and its own URI, and reads it by that, and by its name among MCP clients', async () => {
    const daemon = await startDaemon({ mcpServers: two });
    await daemon.connected();
    const { body } = await daemon.get<{ resources: readonly { id: string; uri: string; server: string }[] }>(
      '/v1/resources',
    );
    expect(body.resources.map(({ id, uri }) => [id, uri])).toEqual(
      ['one', 'two'].map((server) => [`${server}.ui://dashboard/view.html`, 'ui://dashboard/view.html']),
    );
    for (const resource_id of ['two.ui://dashboard/view.html', 'ui://two/dashboard/view.html']) {
      const read = await daemon.post<Envelope>('/v1/resources/read', { resource_id });
      expect(read.body.data).toMatchObject({ contents: [{ text: '<!doctype html><title>two</title>' }] });
    }
  });
});
