// A secret in every field that may hold one: none of them is in any answer, log line, audit record or event.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { endless, openUpdates } from './support/event-stream.js';
import { dead, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

/** Accepts every request. */
async function startSink(): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}`;
}

const admin = 'canary-admin-token';
const authorization = { authorization: `Bearer ${admin}` };

function configWith(upstream: object, elsewhere: string) {
  const at = (name: string) => `http://user:canary-${name}-login@127.0.0.1:1/mcp?key=canary-${name}-query`;
  return {
    toolTimeoutMs: 3000, // no client answers what a model is asked
    mcpServers: {
      s: {
        ...upstream,
        env: { LITERAL: 'canary-env-literal', NAMED: 'env://CANARY_NAMED', MISSING: 'op://canary-vault/item/field' },
      },
      alive: upstream,
      gone: { ...dead, args: ['--api-key=canary-flag', '--token', 'canary-argument'], env: { A: 'canary-env-gone' } },
      bearer: {
        url: at('bearer'),
        headers: { 'x-key': 'canary-header' },
        auth: { type: 'bearer', token: 'canary-bearer' },
      },
      basic: { url: at('basic'), auth: { type: 'basic', username: 'u', password: 'canary-password' } },
      variable: { url: at('variable'), auth: { type: 'bearer', tokenEnv: 'CANARY_TOKEN' } },
      login: {
        url: at('login'),
        auth: {
          type: 'oauth2',
          clientId: 'c',
          clientSecret: 'canary-client-secret',
          authorizationServerUrl: 'http://127.0.0.1:1',
        },
      },
      unknown: { ...dead, credentials: { refresh_token: 'canary-unknown-field' } },
    },
    policy: {
      requireApproval: ['alive.gated'],
      webhook: {
        url: `${elsewhere}/hook?key=canary-webhook-query`,
        secret: 'canary-webhook-secret',
        authHeader: 'canary-webhook-auth',
        headers: { 'x-hook': 'canary-webhook-header' },
      },
    },
    audit: {
      siem: {
        targets: [
          {
            type: 'webhook',
            url: `${elsewhere}/siem?key=canary-siem-query`,
            authHeader: 'canary-siem-auth',
            headers: { 'x-s': 'canary-siem-header' },
          },
          { type: 'splunk_hec', url: `${elsewhere}/hec`, token: 'canary-hec-token' },
        ],
      },
    },
    sampling: { provider: { url: `${elsewhere}/v1?key=canary-sampling-query`, model: 'm', apiKeyEnv: 'CANARY_KEY' } },
    search: {
      embeddings: {
        provider: 'openai',
        url: `${elsewhere}/e?key=canary-search-query`,
        model: 'm',
        apiKeyEnv: 'CANARY_KEY',
      },
    },
    rbac: {
      roles: { operator: { admin: true } },
      tokens: [
        { role: 'operator', token: admin },
        { role: 'operator', tokenEnv: 'CANARY_TOKEN' },
      ],
    },
  };
}

it('no secret of the configuration appears in any output', async () => {
  const elsewhere = await startSink();
  const upstream = scripted({ tools: [tool('echo'), tool('gated'), tool('complain')] });
  const env = {
    CANARY_NAMED: 'canary-named-value',
    CANARY_TOKEN: 'canary-token-value',
    CANARY_KEY: 'canary-key-value',
  };
  const daemon = await startDaemonProcess(configWith(upstream.server, elsewhere), { env });
  const stream = await openUpdates(daemon, authorization);
  await eventually(async () => {
    const { body } = await daemon.get<{ servers: { id: string; status: string }[] }>('/v1/servers', authorization);
    const statuses = Object.fromEntries(body.servers.map(({ id, status }) => [id, status]));
    expect(statuses).toMatchObject({
      alive: 'connected',
      s: 'degraded',
      gone: 'degraded',
      bearer: 'degraded',
      basic: 'degraded',
    });
  });

  const texts: string[] = [];
  const keep = async (asked: Promise<{ readonly text: string; readonly headers: object }>) => {
    const { text, headers } = await asked;
    texts.push(text, JSON.stringify(headers));
  };
  const post = (path: string, body: object) => daemon.post(path, body, authorization);
  const ids = ['alive', 's', 'gone', 'bearer', 'basic', 'variable', 'login', 'unknown'];
  for (const id of ids) {
    await keep(post('/v1/tools/call', { capability_id: `${id}.echo`, args: {} }));
    await keep(post('/v1/config/servers', { name: id, server: { command: 'x', url: 'http://y' } }));
    await keep(daemon.send(`/v1/config/servers/${id}/restart`, { method: 'POST', headers: authorization }));
    await keep(daemon.get(`/v1/servers/${id}/logs`, authorization));
  }
  await keep(post('/v1/tools/call', { capability_id: 'alive.gated', args: {} }));
  await keep(post('/v1/capabilities/search', { query: 'echo' }));
  await keep(
    post('/v1/sampling/create_message', {
      server_id: 'alive',
      messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
    }),
  );
  await keep(post('/v1/config/policy', { webhook: { url: 'nonsense' } }));
  await keep(post('/v1/config/reload', {}));
  const { body } = await daemon.get<{ paths: Record<string, object> }>('/v1/openapi.json', authorization);
  const readable = Object.entries(body.paths).filter(([path, methods]) => 'get' in methods && !path.includes('{'));
  for (const [path] of readable) if (!endless.has(path)) await keep(daemon.get(path, authorization));
  expect(readable.length).toBeGreaterThan(15);

  texts.push(daemon.stderr(), daemon.stdout(), stream.text());
  const { stderr } = await daemon.stop();
  const output = [...texts, stderr].join('\n');
  expect(output.match(/canary-[a-z-]*/g)).toBeNull();
  expect(output).toContain('********');
}, 90_000);
