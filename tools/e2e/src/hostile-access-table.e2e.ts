// Every route of the document that the service gives of itself, for each who may not administer: other users, an agent of
// this user without the operator token, and each of them with a wrong one. No route of the table is left out.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { endless, openUpdates } from './support/event-stream.js';
import { type Answered, askAsForeign, noForeignUser, runAsForeign } from './support/foreign-user.js';
import { openRaw } from './support/raw-http.js';
import { fixture } from './support/upstreams.js';

type Access = 'open' | 'role' | 'admin';
interface Route {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
}

type Headers = Readonly<Record<string, string>>;
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** In the order of the document. Streams are left to a test of their own: they have no end. */
async function routesOf(daemon: Daemon, headers: Headers): Promise<readonly Route[]> {
  const { body } = await daemon.get<{
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-portico-access': Access }>>>>;
  }>('/v1/openapi.json', headers);
  const routes = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { 'x-portico-access': access }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'x'),
      access,
    })),
  );
  return routes.filter(({ path }) => !endless.has(path));
}

const asked = (routes: readonly Route[], headers: Headers) =>
  routes.map(({ method, path }) => ({ method, path, headers, ...(method === 'POST' ? { body: {} } : {}) }));

async function askAll(daemon: Daemon, routes: readonly Route[], headers: Headers): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (const { path, method, body, headers: sent } of asked(routes, headers)) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(daemon.url + path, { method, headers: { ...sent, ...type }, ...text });
    answers.push({ status: answer.status, text: await answer.text() });
  }
  return answers;
}

/** Routes with how they are answered: 401 and 403 as they are, everything else as `in`. */
const verdicts = (routes: readonly Route[], answers: readonly Answered[]) =>
  routes.map(({ method, path }, index) => {
    const { status = 0 } = answers[index] ?? {};
    return `${method} ${path}: ${[401, 403].includes(status) ? status : status === 0 ? 'no answer' : 'in'}`;
  });

/** Expected answers at routes of each kind, and at the probe that returns more to known callers. */
type Wanted = Readonly<Record<Access | 'probe', 'in' | '401' | '403'>>;

const expectAll = (routes: readonly Route[], answers: readonly Answered[], want: Wanted) =>
  expect(verdicts(routes, answers)).toEqual(
    routes.map(({ method, path, access }) => `${method} ${path}: ${want[path === '/readyz' ? 'probe' : access]}`),
  );

const everything: Wanted = { open: 'in', probe: 'in', role: 'in', admin: 'in' };
const nothing: Wanted = { open: 'in', probe: 'in', role: '403', admin: '403' };
const wrongToken: Wanted = { open: 'in', probe: '401', role: '401', admin: '401' };

describe('where administration needs the operator token', () => {
  const folder = tempFolder();
  const stateDir = join(folder, 'state');
  const config = { mcpServers: { s: fixture() }, access: { operatorToken: true } };
  let daemon: Daemon;
  let routes: readonly Route[];
  let token: string;
  let stale: string;

  const readToken = () => readFileSync(join(stateDir, 'operator-token'), 'utf8').trim();

  beforeAll(async () => {
    daemon = await startDaemon(config, { stateDir });
    stale = readToken();
    await daemon.stop();
    writeFileSync(join(stateDir, 'operator-token'), 'lost\n');
    daemon = await startDaemon(config, { stateDir });
    await daemon.connected();
    token = readToken();
    routes = await routesOf(daemon, bearer(token));
    expect(routes.filter(({ access }) => access === 'admin').length).toBeGreaterThan(25);
  });

  it('an agent without it uses every route but those of administration', async () => {
    expectAll(routes, await askAll(daemon, routes, {}), { ...everything, admin: '401' });
  });

  it('each refusal says how to come to a token', async () => {
    const admin = routes.filter(({ access }) => access === 'admin');
    for (const { text } of await askAll(daemon, admin, {})) {
      expect(text).toContain('access.operatorToken');
      expect(text).toContain('portico ui');
    }
  });

  it('the token opens every route', async () => {
    expectAll(routes, await askAll(daemon, routes, bearer(token)), everything);
  });

  it('a stale token, a code, a piece of the token, another scheme and none at all open no route', async () => {
    const { code } = (
      await daemon.send<{ readonly code: string }>('/v1/console/codes', { method: 'POST', headers: bearer(token) })
    ).body;
    const wrong = [
      bearer(stale),
      bearer(code),
      bearer(token.slice(0, -1)),
      bearer(`${token}=`),
      { authorization: `Basic ${btoa(`operator:${token}`)}` },
      { authorization: token },
      { authorization: '' },
    ];
    for (const headers of wrong) expectAll(routes, await askAll(daemon, routes, headers), wrongToken);
  });

  /** As bytes, so that no client tidies the target. */
  const askRaw = async (line: string, ...headers: readonly string[]) => {
    const raw = await openRaw(daemon.port);
    raw.write([`${line} HTTP/1.1`, `Host: 127.0.0.1:${daemon.port}`, ...headers, '', ''].join('\r\n'));
    return raw.answer();
  };

  it.each([
    '//v1/config',
    '/v1//config',
    '/v1/./config',
    '/v1/x/../config',
    '/v1/config/',
    '/v1/config;x=1',
    '/V1/CONFIG',
    '/v1/%63onfig',
    '/v1%2fconfig',
    '/v1/config%2f',
    '/v1/config?authorization=x',
    '/v1/config%00',
    '/v1\\config',
    'http://127.0.0.1/v1/config',
    'http://evil.example/v1/config',
    '/ui/../v1/config',
    '/ui/%2e%2e/v1/config',
    '/v1/capabilities/..%2fconfig',
  ])('the target %s reads no configuration', async (target) => {
    const { body } = await askRaw(`GET ${target}`);
    expect(body).not.toContain('mcpServers');
  });

  it.each([
    'X-HTTP-Method-Override: POST',
    'X-Original-URL: /v1/config',
    'X-Rewrite-URL: /v1/config',
    'X-Forwarded-User: root',
  ])('the header %s changes nothing', async (header) => {
    const { status, body } = await askRaw('GET /v1/config', header);
    expect([status, body.includes('mcpServers')]).toEqual([401, false]);
  });

  it('another user opens no route by what this user may do without it, and is asked for a right one', async () => {
    if (noForeignUser !== undefined) return expect(noForeignUser).not.toBe('');
    expectAll(routes, await askAsForeign(daemon.url, asked(routes, {})), nothing);
    expectAll(routes, await askAsForeign(daemon.url, asked(routes, bearer(stale))), wrongToken);
    expectAll(routes, await askAsForeign(daemon.url, asked(routes, bearer(token))), everything);
  });
});

describe('where no token is asked for', () => {
  it('another user opens no route, with every made-up token', async () => {
    if (noForeignUser !== undefined) return expect(noForeignUser).not.toBe('');
    const daemon = await startDaemon({ mcpServers: { s: fixture() } });
    const routes = await routesOf(daemon, {});
    for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1' }])
      expectAll(routes, await askAsForeign(daemon.url, asked(routes, headers)), nothing);
    for (const headers of [bearer('guess'), { authorization: 'Basic eDp5' }])
      expectAll(routes, await askAsForeign(daemon.url, asked(routes, headers)), { ...nothing, probe: '403' });
  });

  it('another user whose calls are admitted opens no route of administration', async () => {
    if (noForeignUser !== undefined) return expect(noForeignUser).not.toBe('');
    const daemon = await startDaemon({ mcpServers: { s: fixture() }, access: { otherUsers: 'calls' } });
    const routes = await routesOf(daemon, {});
    expectAll(routes, await askAsForeign(daemon.url, asked(routes, {})), { ...everything, admin: '403' });
  });
});

describe('a stream that was open when a rule changed', () => {
  const start = async (access: object) => {
    const folder = tempFolder();
    const configFile = join(folder, 'config.json');
    const write = (next: object, more = {}) =>
      writeFileSync(configFile, JSON.stringify({ mcpServers: { s: fixture(), ...more }, access: next }));
    write(access);
    const daemon = await startDaemon(undefined, { configFile, stateDir: join(folder, 'state') });
    await daemon.connected();
    return { daemon, write };
  };

  it('shows an agent nothing once administration needs a token', async () => {
    const { daemon, write } = await start({});
    const stream = await openUpdates(daemon);
    write({ operatorToken: true }, { secret: fixture() });
    expect((await daemon.post('/v1/config/reload', {})).status).toBe(200);
    await stream.ended;
    expect(stream.text()).not.toContain('secret.');
  });

  it('shows another user nothing once its calls are not admitted', async () => {
    if (noForeignUser !== undefined) return expect(noForeignUser).not.toBe('');
    const { daemon, write } = await start({ otherUsers: 'calls' });
    const source = `
      require('node:http').get(process.argv[1] + '/v1/resources/updates', (response) => {
        response.on('data', (chunk) => process.stdout.write(chunk)).on('end', () => process.exit(0));
      });`;
    const result = runAsForeign(source, daemon.url);
    await setTimeout(700); // the process starts, and its stream is open
    write({}, { secret: fixture() });
    expect((await daemon.post('/v1/config/reload', {})).status).toBe(200);
    const text = await result;
    expect([text.includes(': connected'), text.includes('secret.')]).toEqual([true, false]);
  });
});
