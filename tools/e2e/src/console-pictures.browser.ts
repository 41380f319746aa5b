// Every page of the console with much in it, with nothing in it, signed out, and while the daemon is away: pictures of each,
// no page wider than its window, and no control over another one.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { keepPictureIn, openConsole, overflowOf, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { consolePages } from './support/console-pages.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { overlapsOn } from './support/geometry.js';
import { grantsOf } from './support/grants.js';
import { colourRules, inEachLook, overflowEnlarged } from './support/looks.js';
import { connectedNames, crashedNames, manyServers } from './support/many-servers.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const folder = '.cache/pictures';
const longName = 'n'.repeat(128);
const hostile = '\u202egnp.exe <img src=x onerror=alert(1)> \u001b[31m\u0000';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

/**
 * In each look: as wide as its window, each control in a place of its own, no violation that axe finds, and a picture. Nothing is
 * being loaded any more.
 */
async function expectTidy(page: Page, name: string, hasAxe: boolean): Promise<void> {
  await page.locator('main .spinner').first().waitFor({ state: 'detached' });
  await inEachLook(page, async (look) => {
    const picture = `${name}-${look}`;
    expect([picture, await overflowOf(page), await overlapsOn(page)]).toEqual([picture, 0, []]);
    const violations = hasAxe ? await violationsOn(page, look === 'dark' ? colourRules : undefined) : [];
    expect([picture, violations]).toEqual([picture, []]);
    await keepPictureIn(folder, page, picture);
  });
  expect([name, await overflowEnlarged(page)]).toEqual([name, 0]);
}

/** Tools of a server, with names as servers have them; all together 10,000. */
const verbs = 'create get list search update delete archive export share move comment assign close reopen merge'.split(
  ' ',
);
const nouns = 'issue page file message event row board user team label branch build report alert invoice'.split(' ');
const toolsOf = (name: string) =>
  Array.from({ length: Math.ceil(10_000 / connectedNames.length) }, (_, at) => {
    const [verb = '', noun = ''] = [verbs[at % verbs.length], nouns[Math.floor(at / verbs.length) % nouns.length]];
    const round = Math.floor(at / (verbs.length * nouns.length));
    const named = `${verb}_${noun}${round === 0 ? '' : `_v${round + 1}`}`;
    return tool(name === 'files' && at === 0 ? longName : named, {
      description: at === 1 ? hostile : `Use it to ${verb} a ${noun} of ${name}, with everything that belongs to it`,
      ...(verb === 'delete' ? { annotations: { destructiveHint: true } } : {}),
      ...(verb === 'get' || verb === 'list' ? { annotations: { readOnlyHint: true } } : {}),
      ...(at === 2 ? { title: hostile } : {}),
    });
  });

describe('with 40 servers, 10,000 tools, 500 tickets, long names and hostile ones', () => {
  let daemon: Daemon;
  let ticket: string;
  const longServer = 'a'.repeat(60);

  beforeAll(async () => {
    const mcpServers = await manyServers((name) => ({
      'tools/list': { tools: toolsOf(name) },
      'prompts/list': { prompts: name === 'linear' ? [{ name: 'greet', description: hostile }] : [] },
      'resources/list': { resources: name === 'notes' ? [{ uri: 'file:///notes/a b.txt', name: hostile }] : [] },
      'resources/templates/list': { resourceTemplates: [] },
    }));
    daemon = await startDaemon({
      lock: { mode: 'warn' }, // without a file: everything is new
      mcpServers: { ...mcpServers, [longServer]: scripted({ tools: [tool('list_rows'), tool('drop_table')] }).server },
      policy: {
        requireApproval: ['postgres.*', `*.${longName}`],
        deny: ['payments.delete_*', 'nothing.like_it'],
        shadow: { deny: ['slack.*'] },
        grants: { enabled: true, mayOffer: ['*'] },
      },
      budgets: [
        {
          id: longName.slice(0, 64),
          scope: { by: 'client', match: `*${longName}*` },
          ...{
            calls: 1,
            resultBytes: 1_000_000_000_000_000,
            resultTokens: 1,
            upstreamSecs: 1_000_000_000,
            cost: 0.000_001,
          },
        },
        {
          id: 'per-client',
          scope: { by: 'client', match: 'slack.*' },
          calls: 1,
          resultTokens: 1_000_000_000_000,
          cost: 1_000_000,
        },
      ],
      prices: { '*': 0.005 },
      profiles: { [longName.slice(0, 64)]: { servers: ['linear'], description: hostile } },
      capabilityAliases: { short: { target: 'linear.get_issue' } },
    });
    const areConnected = async () => {
      const { body } = await daemon.get<{ readonly servers: readonly { readonly status: string }[] }>('/v1/servers');
      const connected = body.servers.filter(({ status }) => status === 'connected');
      expect(connected.length).toBeGreaterThan(connectedNames.length);
    };
    await eventually(areConnected, 90_000); // a limit only: ten thousand tools are read
    for (const name of crashedNames)
      await eventually(async () => expect(await daemon.server(name)).toMatchObject({ given_up: true }));
    const call = (id: string, args: object, client: string) =>
      daemon.post('/v1/tools/call', { capability_id: id, args }, { 'x-service-client': client });
    for (const client of ['cursor', longName, encodeURIComponent(hostile)]) {
      await call('slack.create_message', { path: `/srv/${longName}`, [`key-${longName}`]: hostile }, client);
      await call('payments.delete_invoice', {}, client);
      await call('github.search_issue', { text: 'login fails on Safari' }, client);
    }
    const { ask, approve } = grantsOf(daemon);
    const argsOfGrant = { [longName]: hostile, text: longName.repeat(20), [hostile]: longName };
    const grants = [{ keep: ['/text', `/${longName}`, '/small'] }, {}];
    for (const [small, scope] of grants.entries())
      await approve(await ask('postgres.get_row', { ...argsOfGrant, small }), { ttl_secs: 3600, uses: 9, ...scope });
    ticket = await openTicket(daemon, 'postgres.get_row', { [longName]: hostile, text: longName.repeat(20) });
    for (let at = 0; at < 500; at += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, more) =>
          call(
            'postgres.delete_row',
            { number: at + more, table: at + more === 1 ? longName : 'users' },
            more === 1 ? longName : more % 3 === 0 ? 'claude-code' : 'cursor',
          ),
        ),
      );
  }, 180_000);

  it('every page is tidy', async () => {
    const page = await openConsole(browser, daemon);
    const more = [
      ['server', '/ui/servers/linear', 'linear'],
      ['server-broken', '/ui/servers/broken', 'broken'],
      ['server-crashed', '/ui/servers/crm', 'crm'],
      ['tool', '/ui/catalog?kind=tools&id=postgres.delete_row', 'postgres.delete_row'],
      ['tool-denied', '/ui/catalog?kind=tools&id=payments.delete_invoice', 'payments.delete_invoice'],
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
      await expectTidy(page, `${name}-many`, name !== 'approvals'); // axe takes minutes for 500 rows
    }
  }, 480_000); // a limit only: axe on twenty pages
});

describe('with nothing', () => {
  it('every page says so', async () => {
    const daemon = await startDaemon({ mcpServers: {} });
    const page = await openConsole(browser, daemon, '/ui', { mayLoseDaemon: true, refusals: [500] });
    for (const [name, path, title] of consolePages) {
      await page.goto(`${daemon.url}${path}`);
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await expectTidy(page, `${name}-empty`, false);
    }
    await page.goto(`${daemon.url}/ui`);
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await daemon.stop();
    await page.getByText(/^The daemon has not answered since \d\d:\d\d:\d\d\./).waitFor();
    await expectTidy(page, 'away', true);
  });

  it('signed out, the dialog is all there is', async () => {
    const rbac = { roles: { boss: { admin: true } }, tokens: [{ role: 'boss', token: 'right-token' }] };
    const daemon = await startDaemon({ mcpServers: {}, rbac });
    const page = await openConsole(browser, daemon, '/ui', { refusals: [401] });
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    await expectTidy(page, 'signed-out', true);
  });
});
