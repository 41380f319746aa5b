// The page Safety of the console: its parts, and how far budgets are used, emptied by a person who was asked first.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConsoleOptions, keepScreenshot, openConsole, overflowOf, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const hostileName = '<img src=x onerror=alert(1)>\u202E';
const budgets = [
  { id: 'night', scope: { by: 'actor', only: 'night-*' }, window: 'total', calls: 2, resultTokens: 200_000 },
  { id: 'per-agent', scope: { by: 'actor' }, calls: 4, warnAt: 0.5 },
  { id: 'maps', scope: { match: 'maps.*' }, window: 'month', cost: 50, onExhausted: 'requireApproval' },
];

const looks: readonly (readonly [string, ConsoleOptions])[] = [
  ['light', {}],
  ['dark', { theme: 'dark' }],
  ['phone', { isPhone: true }],
];

let browser: Browser;
let daemon: Daemon;

beforeAll(async () => {
  browser = await openBrowser();
});

const start = async (config: object = {}) => {
  daemon = await startDaemon({ mcpServers: { desk: scripted({ tools: [tool('add')] }).server }, ...config });
  await daemon.connected('desk');
};
const call = (actor: string) => daemon.call('desk.add', {}, { context: { actor_id: actor } });
const menuEntry = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Safety' });
const tabOf = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}`) });
const accountsOf = (page: Page, budget: string) =>
  page.getByRole('list', { name: `Accounts of ${budget}, the fullest first` }).locator('[data-account]');
const accountOf = (page: Page, budget: string, name: string) =>
  accountsOf(page, budget).and(page.locator(`[data-account=${JSON.stringify(name)}]`));
const shownAccounts = async (page: Page, budget: string) =>
  Promise.all((await accountsOf(page, budget).all()).map((row) => row.getAttribute('data-account')));

describe('budgets', () => {
  beforeEach(async () => {
    await start({ budgets, prices: { 'maps.*': 1 } });
    for (const actor of ['night-ada', 'night-ada', 'night-ada', 'day-bob']) await call(actor);
  });

  it.each(looks)('say on a %s screen who uses what, and are emptied after a question', async (look, options) => {
    const page = await openConsole(browser, daemon, '/ui', options);
    if (options.isPhone === true) await page.getByRole('button', { name: 'Menu' }).click();
    await menuEntry(page).getByText('1 held or used up').waitFor();
    await menuEntry(page).click();
    await tabOf(page, 'Budgets').getByText('Budgets (1 used up)').waitFor();
    await tabOf(page, 'Budgets').click();
    await page.waitForURL(`${daemon.url}/ui/safety/budgets`);
    await page.getByText('3 budgets, 1 used up').waitFor();
    await page.getByText('for each actor named night-*. Further calls are refused.').waitFor();
    await page.getByText('counting calls of maps.*. A person decides on each further call.').waitFor();
    const ada = accountOf(page, 'night', 'night-ada');
    await ada.getByText('used up', { exact: true }).waitFor();
    await ada.getByText('2 of 2 calls (100 %)').waitFor();
    await ada.getByText('never empty by itself').waitFor();
    expect(await shownAccounts(page, 'per-agent')).toEqual(['night-ada', 'day-bob']);
    await accountOf(page, 'per-agent', 'night-ada').getByText('near a limit', { exact: true }).waitFor();
    await accountOf(page, 'per-agent', 'day-bob').getByText('within its limits', { exact: true }).waitFor();
    await accountOf(page, 'per-agent', 'day-bob')
      .getByText(/^empty again in \d+ (h|min|s)$/)
      .waitFor();
    expect([await violationsOn(page), await overflowOf(page)]).toEqual([[], 0]);
    await keepScreenshot(page, `safety-budgets-${look}`);

    await ada.getByRole('button', { name: 'Empty… night-ada of night' }).click();
    const dialog = page.getByRole('dialog', { name: 'Empty night-ada of night?' });
    await dialog.getByText('2 of 2 calls').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await keepScreenshot(page, `safety-budgets-empty-${look}`);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await call('night-ada')).status).toBe(403);
    await ada.getByRole('button', { name: /^Empty/ }).click();
    await dialog.getByRole('button', { name: 'Empty', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'night: 1 account emptied' }).waitFor();
    await page.getByText('3 budgets, none used up').waitFor();
    expect((await call('night-ada')).status).toBe(200);
  });

  it('are walked by keyboard, follow the calls of others, and show names as text', async () => {
    await call(hostileName);
    const page = await openConsole(browser, daemon, '/ui/safety/changes');
    await tabOf(page, 'Changes').focus();
    await page.keyboard.press('End');
    await page.waitForURL(`${daemon.url}/ui/safety/budgets`);
    await tabOf(page, 'Budgets').and(page.locator(':focus')).waitFor();
    await accountOf(page, 'per-agent', hostileName).getByText('<img src=x onerror=alert(1)><U+202E>').first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    const bob = accountOf(page, 'per-agent', 'day-bob');
    await bob.getByText('1 of 4 calls').waitFor();
    await call('day-bob');
    await bob.getByText('2 of 4 calls').waitFor();
    await page.keyboard.press('j');
    const first = accountOf(page, 'night', 'night-ada');
    await first.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Empty night-ada of night?' }).waitFor();
    await page.keyboard.press('Escape');
    await first.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.type('budgets');
    await page.getByRole('option', { selected: true }).getByText('Budgets').waitFor();
  });

  it('all of one are emptied at once', async () => {
    const page = await openConsole(browser, daemon, '/ui/safety/budgets');
    await page.getByRole('button', { name: 'Empty all 2… accounts of per-agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Empty all accounts of per-agent?' });
    await dialog.getByRole('button', { name: 'Empty', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'per-agent: 2 accounts emptied' }).waitFor();
    await eventually(async () => expect(await accountsOf(page, 'per-agent').count()).toBe(0));
  });

  it('say why one could not be emptied', async () => {
    const page = await openConsole(browser, daemon, '/ui/safety/budgets', { refusals: [404] });
    await accountOf(page, 'night', 'night-ada')
      .getByRole('button', { name: /^Empty/ })
      .click();
    const { config_path: file } = (await daemon.get<{ readonly config_path: string }>('/v1/config')).body;
    await page.route('**/v1/budgets/night/reset', async (route) => {
      const config = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, JSON.stringify({ ...config, budgets: budgets.slice(1) })); // another person removes it
      await daemon.post('/v1/config/reload', {});
      await route.continue();
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Empty', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(/no budget "night"; there are "per-agent", "maps"/)
      .waitFor();
  });
});

it('a budget with many accounts shows the fullest, and the others on request', async () => {
  await start({ budgets: [{ id: 'per-agent', scope: { by: 'actor' }, calls: 10 }] });
  for (let at = 0; at < 8; at += 1) await call(`agent-${at}`);
  await call('agent-7');
  const page = await openConsole(browser, daemon, '/ui/safety/budgets');
  await accountsOf(page, 'per-agent').nth(4).waitFor();
  const shown = await shownAccounts(page, 'per-agent');
  expect([shown.length, shown[0]]).toEqual([5, 'agent-7']);
  await page.getByRole('button', { name: 'Show 3 more of 3 accounts of per-agent' }).click();
  expect((await shownAccounts(page, 'per-agent')).length).toBe(8);
});

it('without a budget there is one to copy, and the file that it belongs to', async () => {
  await start();
  const page = await openConsole(browser, daemon, '/ui/safety/budgets');
  await page.getByRole('heading', { name: 'No budget is configured' }).waitFor();
  const text = await page.getByRole('region', { name: 'For the configuration file' }).innerText();
  const { config_path: file } = (await daemon.get<{ readonly config_path: string }>('/v1/config')).body;
  await page.getByText(file, { exact: true }).waitFor();
  const config = { ...JSON.parse(readFileSync(file, 'utf8')), ...JSON.parse(`{${text}}`) };
  writeFileSync(file, JSON.stringify(config));
  await daemon.post('/v1/config/reload', {});
  await page.getByRole('heading', { name: 'per-agent' }).waitFor();
  await page.getByText('Nothing is used in this window.').waitFor();
});

it('the tokens of tool definitions are listed by server, the most first', async () => {
  const long = scripted({ tools: [tool('a', { description: 'Long. '.repeat(200) }), tool('b')] });
  await start({ mcpServers: { desk: scripted({ tools: [tool('add')] }).server, long: long.server } });
  await daemon.connected('long');
  const page = await openConsole(browser, daemon, '/ui/safety/budgets');
  const rows = page.getByRole('table', { name: /^Tokens of tool definitions by server/ }).locator('[data-row]');
  await rows.nth(1).waitFor();
  const servers = await Promise.all((await rows.getByRole('link').all()).map((link) => link.getAttribute('href')));
  expect(servers).toEqual(['/ui/servers/long', '/ui/servers/desk']);
  const { body } = await daemon.get<{ readonly servers: readonly { readonly definition_tokens: number }[] }>(
    '/v1/servers',
  );
  const tokens = body.servers.map((server) => server.definition_tokens).sort((a, b) => b - a);
  for (const [at, count] of tokens.entries())
    await rows
      .nth(at)
      .getByRole('cell', { name: count.toLocaleString('en-US'), exact: true })
      .waitFor();
  expect(await violationsOn(page)).toEqual([]);
});

it('the address that the changes had before leads to them', async () => {
  await start({ lock: { mode: 'warn' } });
  const page = await openConsole(browser, daemon, '/ui/changes?server=desk');
  await page.waitForURL(`${daemon.url}/ui/safety/changes?server=desk`);
  await tabOf(page, 'Changes').and(page.locator('[aria-selected=true]')).waitFor();
  await page.goto(`${daemon.url}/ui/safety/nothing`);
  await page.waitForURL(`${daemon.url}/ui/safety/changes`);
});
