// Every page of the console with much in it, with nothing in it, signed out, and while the daemon is away: pictures of each,
// no page wider than its window, and no control over another one.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { type ConsoleOptions, keepPictureIn, openConsole, overflowOf, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { consolePages } from './support/console-pages.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { overlapsOn } from './support/geometry.js';
import { dead, scripted, tool } from './support/upstreams.js';

const looks = [
  ['light', {}],
  ['dark', { theme: 'dark' }],
  ['phone', { isPhone: true }],
] as const satisfies readonly (readonly [string, ConsoleOptions])[];

const folder = '.cache/pictures';
const longName = 'n'.repeat(128);
const hostile = '\u202egnp.exe <img src=x onerror=alert(1)> \u001b[31m\u0000';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

/** Nothing is being loaded any more, and the page is as wide as its window, with each control in a place of its own. */
async function expectTidy(page: Page, name: string, hasAxe: boolean): Promise<void> {
  await page.locator('main .spinner').first().waitFor({ state: 'detached' });
  expect([name, await overflowOf(page), await overlapsOn(page)]).toEqual([name, 0, []]);
  if (hasAxe) expect([name, await violationsOn(page)]).toEqual([name, []]);
}

describe('with 40 servers, 10,000 tools, 500 tickets, long names and hostile ones', () => {
  let daemon: Daemon;
  let ticket: string;
  /** Only a few of these run, because each is a process. */
  const servers = 40;
  const running = 6;
  const toolsEach = 2000;

  beforeAll(async () => {
    const nameOf = (server: number, at: number) => (server === 0 && at === 0 ? longName : `tool_${at}`);
    const serverOf = (server: number) =>
      scripted({
        tools: Array.from({ length: toolsEach }, (_, at) =>
          tool(nameOf(server, at), {
            description: at === 1 ? hostile : `Does the work number ${at} of many, with everything that belongs to it`,
            ...(at % 3 === 0 ? { annotations: { destructiveHint: true } } : {}),
            ...(at === 2 ? { title: hostile } : {}),
          }),
        ),
        ...(server === 1 ? { prompts: [{ name: 'greet', description: hostile }] } : {}),
        ...(server === 2 ? { resources: [{ uri: 'file:///notes/a b.txt', name: hostile }] } : {}),
      }).server;
    const named = (server: number) => (server === 0 ? 'a'.repeat(60) : `server-${server}`);
    const mcpServers = Object.fromEntries(
      Array.from({ length: servers - 1 }, (_, at) => [
        named(at),
        at < running ? serverOf(at) : { ...dead, disabled: true },
      ]),
    );
    daemon = await startDaemon({
      lock: { mode: 'warn' }, // without a file: everything is new
      mcpServers: { ...mcpServers, broken: dead },
      policy: {
        requireApproval: ['server-3.*', `*.${longName}`],
        deny: ['server-4.tool_1*'],
        shadow: { deny: ['server-5.*'] },
      },
      profiles: { [longName.slice(0, 64)]: { servers: ['server-1'], description: hostile } },
      capabilityAliases: { short: { target: 'server-1.tool_1' } },
    });
    await daemon.connected('server-1', 'server-3', 'server-5');
    const call = (id: string, args: object, client: string) =>
      daemon.post('/v1/tools/call', { capability_id: id, args }, { 'x-service-client': client });
    for (const client of ['cursor', longName, encodeURIComponent(hostile)]) {
      await call('server-5.tool_1', { path: `/srv/${longName}`, [`key-${longName}`]: hostile }, client);
      await call('server-4.tool_1', {}, client);
    }
    ticket = await openTicket(daemon, 'server-3.tool_1', { [longName]: hostile, text: longName.repeat(20) });
    for (let at = 0; at < 500; at += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, more) =>
          call(
            'server-3.tool_3',
            { number: at + more, path: `/srv/${longName}` },
            more % 2 === 0 ? 'cursor' : longName,
          ),
        ),
      );
  });

  it.each(looks)('every page is tidy: %s', async (look, options) => {
    const page = await openConsole(browser, daemon, '/ui', options);
    const more = [
      ['server', '/ui/servers/server-1', 'server-1'],
      ['server-broken', '/ui/servers/broken', 'broken'],
      ['tool', '/ui/catalog?kind=tools&id=server-3.tool_1', 'server-3.tool_1'],
      ['tool-denied', '/ui/catalog?kind=tools&id=server-4.tool_1', 'server-4.tool_1'],
      ['catalog-asks', '/ui/catalog?policy=waits_for_approval', 'Catalog'],
      ['ticket', `/ui/approvals?id=${ticket}`, undefined],
      ['why', `/ui/audit?why=${ticket}`, 'Audit'],
    ] as const;
    for (const [name, path, title] of [...consolePages, ...more]) {
      await page.goto(`${daemon.url}${path}`);
      const heading = page.getByRole('heading', { level: 1 });
      await (title === undefined
        ? heading
        : page.getByRole('heading', { level: 1, name: title, exact: true })
      ).waitFor();
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      await expectTidy(page, name, look === 'phone' && name !== 'approvals'); // axe takes minutes for 500 rows
      await keepPictureIn(folder, page, `${name}-many-${look}`);
    }
  });
});

describe('with nothing', () => {
  it.each(looks)('every page says so: %s', async (look, options) => {
    const daemon = await startDaemon({ mcpServers: {} });
    const page = await openConsole(browser, daemon, '/ui', { ...options, mayLoseDaemon: true, refusals: [500] });
    for (const [name, path, title] of consolePages) {
      await page.goto(`${daemon.url}${path}`);
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await expectTidy(page, name, false);
      await keepPictureIn(folder, page, `${name}-empty-${look}`);
    }
    await page.goto(`${daemon.url}/ui`);
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await daemon.stop();
    await page.getByText(/^The daemon does not answer since/).waitFor();
    await expectTidy(page, 'away', true);
    await keepPictureIn(folder, page, `away-${look}`);
  });

  it.each(looks)('signed out, the dialog is all there is: %s', async (look, options) => {
    const rbac = { roles: { boss: { admin: true } }, tokens: [{ role: 'boss', token: 'right-token' }] };
    const daemon = await startDaemon({ mcpServers: {}, rbac });
    const page = await openConsole(browser, daemon, '/ui', { ...options, refusals: [401] });
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    expect([await overflowOf(page), await overlapsOn(page), await violationsOn(page)]).toEqual([0, [], []]);
    await keepPictureIn(folder, page, `signed-out-${look}`);
  });
});
