// Roles on the MCP listener: the same tokens, the same views, and sessions that belong to their creators.
import { beforeAll, describe, expect, it } from 'vitest';
import { send } from './support/client.js';
import { startIssuer } from './support/issuer.js';
import {
  argsOf,
  connectClient,
  hello,
  initialized,
  type Mode,
  mcpStdioMain,
  modernRequest,
  placeOf,
  startMcpHttp,
} from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const definitions = {
  tools: [tool('read'), tool('write')],
  resources: [
    { uri: 'a://open', name: 'open' },
    { uri: 'a://secret', name: 'secret' },
  ],
  prompts: [{ name: 'greet' }, { name: 'plan' }],
};
const rbac = {
  roles: {
    reader: { allow: ['s.read', 's.a://open', 's.greet'] },
    gated: { requireApproval: ['s.write'] },
    boss: { admin: true },
  },
  tokens: [
    { role: 'reader', actorId: 'ann', token: 'ann-token' },
    { role: 'reader', actorId: 'bob', token: 'bob-token' },
    { role: 'gated', actorId: 'gil', token: 'gil-token' },
    { role: 'boss', token: 'boss-token' },
  ],
};
const as = (who: string) => ({ authorization: `Bearer ${who}-token` });
const configOf = (more: object = {}) => ({
  mcpServers: { s: scripted(definitions).server },
  mcpExposure: 'both',
  rbac,
  ...more,
});

/** URL of a listener with these roles. */
let url = '';

beforeAll(async () => {
  ({ url } = await startMcpHttp(configOf()));
});

const modes: readonly Mode[] = ['v1', 'legacy', 'modern'];
const post = (url: string, body: object, headers: Readonly<Record<string, string>>) =>
  send<Readonly<Record<string, unknown>>>(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });

describe.each(modes)('a client in mode %s', (mode) => {
  it('with a token of a role has the role’s view [access-static-tokens] [access-role-policy]', async () => {
    const connect = (who: string) => connectClient(mode, { kind: 'http', url, headers: as(who) });
    const [ann, boss] = [await connect('ann'), await connect('boss')];
    const names = async (client: typeof ann, list: 'tools' | 'resources' | 'prompts') =>
      ((await client.request(`${list}/list`))[list] as readonly { readonly name: string }[]).map(({ name }) => name);
    await eventually(async () => expect(await names(boss, 'tools')).toEqual(expect.arrayContaining(['s__write'])));
    expect((await names(ann, 'tools')).filter((name) => name.startsWith('s__'))).toEqual(['s__read']);
    expect([await names(ann, 'resources'), await names(boss, 'resources')]).toEqual([['open'], ['open', 'secret']]);
    expect([await names(ann, 'prompts'), await names(boss, 'prompts')]).toEqual([
      ['s__greet'],
      ['s__greet', 's__plan'],
    ]);

    expect(await ann.request('tools/call', { name: 's__read', arguments: {} })).toMatchObject({ content: [{}] });
    for (const name of ['s__write', 's__nothing']) {
      await expect(ann.request('tools/call', { name, arguments: {} })).rejects.toThrow(`Unknown tool: ${name}`);
    }
    await expect(ann.request('resources/read', { uri: 'a://secret' })).rejects.toThrow();
    await expect(ann.request('prompts/get', { name: 's__plan' })).rejects.toThrow();
    const called = await ann.request('tools/call', {
      name: 'capability_call',
      arguments: { capability_id: 's.write', args: {} },
    });
    expect(called).toMatchObject({ isError: true, structuredContent: { error: { code: 'TOOL_NOT_FOUND' } } });
    const listed = await ann.request('tools/call', { name: 'capabilities_list', arguments: {} });
    expect(listed).toMatchObject({ structuredContent: { cache_scope: 'private', capabilities: [{ id: 's.read' }] } });
  });

  it('without a good token learns where to get one', async () => {
    for (const headers of [{}, as('nobody')]) {
      await expect(connectClient(mode, { kind: 'http', url, headers })).rejects.toThrow();
    }
  });
});

describe('a gated call', () => {
  it('is not its caller’s to approve: the ticket waits for an admin, with every capability of the client', async () => {
    const ask = (who: string, name: string, args: object) => {
      const params = { name, arguments: args };
      const { body, headers } = modernRequest(1, 'tools/call', params, { elicitation: { form: {} } });
      return post(url, body, { ...headers, ...as(who) });
    };
    const call = { capability_id: 's.write', args: {} };
    const asked = await eventually(async () => {
      const { body } = await ask('gil', 'capability_call', call);
      expect(body).toMatchObject({ result: { structuredContent: { error: { code: 'APPROVAL_PENDING' } } } });
      return body as { readonly result: { readonly structuredContent: { readonly error: { approval_id: string } } } };
    });
    const { approval_id } = asked.result.structuredContent.error;
    const status = async (who: string) => (await ask(who, 'approval_status', { approval_id })).body;
    expect(await status('gil')).toMatchObject({ result: { structuredContent: { approval: { id: approval_id } } } });
    expect(await status('boss')).toMatchObject({ result: { structuredContent: { ok: true } } });
    expect(await status('ann')).toMatchObject({
      result: { structuredContent: { error: { code: 'RESOURCE_NOT_FOUND' } } },
    });
  });
});

describe('a session', () => {
  it('does not exist for other clients than its own', async () => {
    const opened = await post(url, hello(1), as('ann'));
    const session = {
      'mcp-session-id': String(opened.headers['mcp-session-id']),
      'mcp-protocol-version': '2025-11-25',
    };
    await post(url, initialized, { ...as('ann'), ...session });
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const statusOf = async (who: string) => (await post(url, list, { ...as(who), ...session })).status;
    expect([await statusOf('bob'), await statusOf('boss'), await statusOf('nobody')]).toEqual([404, 404, 401]);
    for (const method of ['GET', 'DELETE']) {
      const headers = { accept: 'text/event-stream', ...as('bob'), ...session };
      expect((await send(url, { method, headers })).status).toBe(404);
    }
    expect(await statusOf('ann')).toBe(200);
  });
});

describe('a listener that trusts an issuer', () => {
  it('says so to callers without a token (RFC 9728) [access-jwt]', async () => {
    const issuer = await startIssuer();
    const { url } = await startMcpHttp(configOf({ rbac: { ...rbac, jwt: issuer.rules } }));
    const { origin } = new URL(url);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    const { body, headers } = modernRequest(1, 'tools/list');
    const refused = await post(url, body, headers);
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      `Bearer realm="portico", resource_metadata="${metadata}"`,
    ]);
    for (const place of [metadata, `${origin}/.well-known/oauth-protected-resource`]) {
      expect((await send(place)).body).toEqual({
        resource: url,
        authorization_servers: [issuer.issuer],
        bearer_methods_supported: ['header'],
        resource_name: 'Portico',
      });
    }
    const token = issuer.token({ role: 'reader' });
    const client = await connectClient('modern', { kind: 'http', url, headers: { authorization: `Bearer ${token}` } });
    expect(client.version).toBe('2026-07-28');
    for (const wrong of Object.values(issuer.wrongTokens('boss'))) {
      const answer = await post(url, body, { ...headers, authorization: `Bearer ${wrong}` });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
    }
  });

  it('behind a proxy names the address that the tokens are for', async () => {
    const issuer = await startIssuer();
    const jwt = { ...issuer.rules, audience: ['portico', 'https://mcp.example.org/portico/mcp'] };
    const { url } = await startMcpHttp(configOf({ rbac: { ...rbac, jwt } }));
    const { body, headers } = modernRequest(1, 'tools/list');
    const refused = await post(url, body, headers);
    expect(refused.headers['www-authenticate']).toContain(
      'resource_metadata="https://mcp.example.org/.well-known/oauth-protected-resource/portico/mcp"',
    );
    const place = `${new URL(url).origin}/.well-known/oauth-protected-resource/portico/mcp`;
    expect((await send(place)).body).toMatchObject({ resource: 'https://mcp.example.org/portico/mcp' });
  });
});

it('over stdio the user who starts the process is the operator, and needs no token', async () => {
  const place = placeOf(configOf());
  const args = [mcpStdioMain, ...argsOf(place), '--log-level', 'error'];
  const client = await connectClient('modern', { kind: 'stdio', args });
  await eventually(async () => {
    const { tools } = (await client.request('tools/list')) as unknown as { tools: readonly { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['s__read', 's__write']));
  });
});
