// A change of the configuration reaches MCP clients that are connected: of both eras, over HTTP and over stdio.
import { describe, expect, it } from 'vitest';
import { startDaemon } from './support/daemon.js';
import { connectClient, type Mode, mcpStdioMain, type Route } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const modes: readonly Mode[] = ['v1', 'legacy', 'modern'];
const kinds = ['http', 'stdio'] as const;

const open = async (kind: (typeof kinds)[number]) => {
  const upstream = scripted({ tools: [tool('echo')], resources: [{ uri: 'a://b', name: 'b' }] });
  const daemon = await startDaemon({
    mcpServers: { s: upstream.server },
    mcpHttpServer: { port: 0 },
    mcpExposure: 'both',
  });
  await daemon.connected();
  const url = daemon.mcpUrl();
  const file = (await daemon.get<{ config_path: string }>('/v1/config')).body.config_path;
  const stateDir = `${file.slice(0, file.lastIndexOf('/'))}/state`;
  const route: Route =
    kind === 'http' ? { kind, url } : { kind, args: [mcpStdioMain, '--config', file, '--state-dir', stateDir] };
  return { daemon, route };
};

describe.each(kinds)('a client over %s', (kind) => {
  it.each(modes)(
    'of the %s kind receives a notification when a server is mounted, an alias made and a server unmounted [mcp-list-changed-sent]',
    async (mode) => {
      const { daemon, route } = await open(kind);
      const client = await connectClient(mode, route);
      await client.watch('a://b');
      const names = async () => {
        const { tools } = (await client.request('tools/list')) as { tools: readonly { name: string }[] };
        return tools.map(({ name }) => name);
      };
      const expectListed = async (
        change: () => Promise<{ readonly status: number }>,
        name: string,
        isListed: boolean,
      ) => {
        const before = client.listChanges();
        expect((await change()).status).toBe(200);
        await eventually(() => expect(client.listChanges()).toBeGreaterThan(before));
        expect((await names()).includes(name)).toBe(isListed);
      };
      const added = scripted({ tools: [tool('new')] });
      await expectListed(
        () => daemon.post('/v1/config/servers', { name: 'added', server: added.server }),
        'added__new',
        true,
      );
      const alias = { kind: 'tool', alias: 'short', target: 'added.new', passthrough: true };
      await expectListed(() => daemon.post('/v1/config/alias', alias), 'short', true);
      await expectListed(() => daemon.post('/v1/config/alias', { ...alias, passthrough: false }), 'short', false);
      await expectListed(() => daemon.send('/v1/config/servers/added', { method: 'DELETE' }), 'added__new', false);
    },
  );
});
