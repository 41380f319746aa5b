// Every official client, in every mode, over stdio and HTTP, does everything against the built processes.
import { describe, expect, it } from 'vitest';
import { argsOf, connectClient, type Mode, mcpStdioMain, placeOf, type Route, startMcpHttp } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const definitions = {
  tools: [tool('echo', { title: 'Echo', annotations: { readOnlyHint: true } }), tool('announce'), tool('touch')],
  resources: [{ uri: 'a://b', name: 'b' }],
  resourceTemplates: [{ uriTemplate: 'a://{id}', name: 'item' }],
  prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
};

function setUp() {
  const upstream = scripted(definitions);
  const passthrough = (name: string) => ({ target: `s.${name}`, passthrough: true });
  const config = {
    mcpServers: { s: upstream.server },
    capabilityAliases: { echo: passthrough('echo'), announce: passthrough('announce'), touch: passthrough('touch') },
    promptAliases: { hello: 's.greet' },
  };
  return { upstream, config };
}

const modes: readonly (readonly [Mode, string])[] = [
  ['v1', '2025-11-25'],
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
  ['modern', '2026-07-28'],
];
const kinds = ['stdio', 'http'] as const;

async function routeOf(kind: (typeof kinds)[number], config: object): Promise<Route> {
  if (kind === 'stdio') return { kind, args: [mcpStdioMain, ...argsOf(placeOf(config)), '--log-level', 'error'] };
  const { url } = await startMcpHttp(config);
  return { kind, url };
}

describe.each(kinds)('over %s', (kind) => {
  it.each(modes)(
    'a client in mode %s speaks %s, and can use everything [mcp-stdio-server] [mcp-http-server] [mcp-http-json-rpc]',
    async (mode, version) => {
      const { upstream, config } = setUp();
      const client = await connectClient(mode, await routeOf(kind, config));
      expect(client.version).toBe(version);
      const namesOf = async () => {
        const { tools } = (await client.request('tools/list')) as unknown as { tools: readonly { name: string }[] };
        return tools.map(({ name }) => name);
      };
      await eventually(async () => expect(await namesOf()).toContain('echo'));
      expect(await namesOf()).toContain('capability_call');

      const args = { text: 'ä', list: [1, null], constructor: 'kept' };
      const echoed = await client.request('tools/call', { name: 'echo', arguments: args });
      expect(echoed).toMatchObject({ structuredContent: { name: 'echo', arguments: args } });
      const called = await client.request('tools/call', {
        name: 'capability_call',
        arguments: { capability_id: 's.echo', args: {} },
      });
      expect(called).toMatchObject({ structuredContent: { ok: true, data: { structuredContent: { name: 'echo' } } } });
      expect(await client.request('resources/read', { uri: 'a://b' })).toMatchObject({
        contents: [{ text: 'content' }],
      });
      expect(await client.request('prompts/get', { name: 'hello' })).toMatchObject({ messages: [{ role: 'user' }] });
      const ref = { type: 'ref/prompt', name: 'hello' };
      const completed = await client.request('completion/complete', { ref, argument: { name: 'who', value: 'a' } });
      expect(completed).toMatchObject({ completion: { values: ['a!'] } });
      await expect(client.request('tools/call', { name: 'nobody', arguments: {} })).rejects.toMatchObject({
        code: -32602,
      });

      await client.watch('a://b');
      const before = client.listChanges();
      upstream.define({ ...definitions, tools: [...definitions.tools, tool('new')] });
      await client.request('tools/call', { name: 'announce', arguments: { kind: 'tools' } });
      await eventually(() => expect(client.listChanges()).toBeGreaterThan(before));
      await client.request('tools/call', { name: 'touch', arguments: { uri: 'a://b' } });
      await eventually(() => expect(client.updates()).toEqual(['a://b']));
    },
  );
});
