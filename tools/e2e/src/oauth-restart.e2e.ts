// Logins over time: a person who takes long, a daemon that is restarted, and what is kept of a login in between.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import type { Daemon } from './support/daemon.js';
import { type DaemonProcessOptions, startDaemonProcess } from './support/daemon-process.js';
import { openInBrowser, startLoginServer } from './support/logins.js';
import { noKeyring, stubbedKeyring } from './support/secrets.js';
import { eventually } from './support/wait.js';

/** How many times as fast as real time the clock of the daemon runs that waits for a person. */
const clockFactor = 5;

const loginUrl = (daemon: Daemon, id = 'git') =>
  eventually(async () => {
    const { login_url } = await daemon.server(id);
    if (login_url === undefined) throw new Error(`${id} waits for no login`);
    return login_url;
  });

/** The access token that calls carry at the moment. */
async function tokenOf(daemon: Daemon): Promise<string> {
  const { headers } = (await daemon.call('git.whoami')).body.data.structuredContent;
  const token = headers?.authorization?.replace('Bearer ', '') ?? '';
  expect(token).toMatch(/^[\w-]{40,}$/);
  return token;
}

async function loggedIn(env: Readonly<Record<string, string>>) {
  const server = await startLoginServer();
  const stateDir = tempFolder();
  const config = { mcpServers: { git: { url: server.url } } };
  const start = (given: object = config) => startDaemonProcess(given, { stateDir, env });
  const daemon = await start();
  await openInBrowser(await loginUrl(daemon));
  await daemon.connected('git');
  return { server, stateDir, start, config, daemon };
}

const filesIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(folder, name), 'latin1'));

it('a login that takes a person 20 s outlives a restart, and ten refused calls after it renew it once [upstream-oauth-refresh]', async () => {
  const server = await startLoginServer();
  const stateDir = tempFolder();
  const config = { mcpServers: { git: { url: server.url } } };
  const start = (options: DaemonProcessOptions = {}) =>
    startDaemonProcess(config, { stateDir, env: noKeyring, ...options });
  const first = await start({ clockFactor });
  const link = await loginUrl(first);
  const waits = { server: 'git', reason: `waits for a login: open ${link}` };
  await eventually(() => expect(first.log()).toContainEqual(expect.objectContaining(waits)));
  await sleep(20_000 / clockFactor); // how long it takes is what is tested
  expect(await first.server('git')).toMatchObject({ status: 'degraded', restarts: 0, login_url: link });
  await openInBrowser(link);
  await first.connected('git');
  await first.stop();

  const second = await start();
  await second.connected('git');
  expect(await second.server('git')).not.toHaveProperty('login_url');
  expect((await server.control()).tokenRequests).toEqual(['authorization_code']);

  await server.control({ refuseOld: true });
  const calls = await Promise.all(Array.from({ length: 10 }, () => second.call('git.echo', { text: 'x' })));
  expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 200));
  expect((await server.control()).tokenRequests).toEqual(['authorization_code', 'refresh_token']);
  await second.stop();

  await server.control({ refuseOld: true });
  const third = await start();
  await third.connected('git');
  const { tokenRequests, logins } = await server.control();
  expect(tokenRequests).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
  expect(logins).toHaveLength(1);
});

it('tokens are sealed on disk, with a key in a file of their owner where there is no keyring [upstream-oauth-refresh]', async () => {
  const { daemon, stateDir } = await loggedIn(noKeyring);
  const token = await tokenOf(daemon);
  expect(filesIn(stateDir).join()).not.toContain(token);
  if (process.platform === 'linux') expect(statSync(join(stateDir, 'oauth.key')).mode & 0o777).toBe(0o600);
  await daemon.stop();
  expect([...filesIn(stateDir), daemon.logText()].join()).not.toContain(token);
});

it('the key is in the keyring where there is one; while that is away the login waits, with another it is asked for again', async () => {
  const keyring = stubbedKeyring({});
  const { daemon, stateDir, start, config, server } = await loggedIn(keyring.env);
  expect(Object.keys(keyring.entries())).toEqual(['portico|login-key']);
  await daemon.stop();
  const unread = await startDaemonProcess(config, { stateDir, env: noKeyring });
  const away = expect.stringContaining('is in the keyring, which cannot be used');
  await eventually(async () => expect(unread.log()).toContainEqual(expect.objectContaining({ message: away })));
  await unread.stop();
  expect(readdirSync(stateDir)).not.toContain('oauth.key');
  const again = await startDaemonProcess(config, { stateDir, env: keyring.env });
  await again.connected('git');
  await again.stop();
  expect((await server.control()).logins).toHaveLength(1);

  const other = stubbedKeyring({});
  const copied = await startDaemonProcess(config, { stateDir, env: other.env });
  await openInBrowser(await loginUrl(copied));
  await copied.connected('git');
  const message = 'the login that was kept was sealed with another key; log in again';
  await eventually(() => expect(copied.log()).toContainEqual(expect.objectContaining({ message, server: 'git' })));
  expect((await server.control()).logins).toHaveLength(2);
  await copied.stop();
  await (await start({ mcpServers: {} })).stop(); // a removed server loses its stored logins
  await loginUrl(await startDaemonProcess(config, { stateDir, env: other.env }));
});

it('a login of one client is not used for another that is configured instead', async () => {
  const { daemon, server, start } = await loggedIn(noKeyring);
  await daemon.stop();
  const auth = { type: 'oauth2', clientId: 'portico-e2e', authorizationServerUrl: server.issuer };
  const changed = await start({ mcpServers: { git: { url: server.url, auth } } });
  const link = await loginUrl(changed);
  expect(new URL(link).searchParams.get('client_id')).toBe('portico-e2e');
  expect((await server.control()).tokenRequests).toEqual(['authorization_code']);
});
