// Access to the console: it asks for a token where the service does, and is never shown in a frame.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { holdAnswer, keepScreenshot, openConsole, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const rbac = { roles: { boss: { admin: true } }, tokens: [{ role: 'boss', token: 'right-token' }] };

/** The page asks for the configuration every few seconds; by the second answer it has handled all that came before. */
async function nextPolls(page: Page): Promise<void> {
  for (let polls = 0; polls < 2; polls += 1)
    await page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/config');
}

let daemon: Daemon;
let browser: Browser;

beforeAll(async () => {
  [daemon, browser] = await Promise.all([startDaemon({ mcpServers: { files: fixture() }, rbac }), openBrowser()]);
});

it('a token is asked for where the service wants one, kept in the tab, and forgotten on request', async () => {
  const page = await openConsole(browser, daemon, '/ui', { refusals: [401] });
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.waitFor();
  expect(await page.locator(':focus').getAttribute('id')).toBe(await dialog.getByLabel('Token').getAttribute('id'));
  expect(await page.locator('.problem').count()).toBe(0); // what cannot be read is said once, by the dialog
  expect(await violationsOn(page)).toEqual([]);
  await keepScreenshot(page, 'sign-in-light');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByText('Enter a token.').waitFor();
  await dialog.getByLabel('Token').fill('wrong-token');
  await page.keyboard.press('Enter');
  await dialog.getByText('The service does not know this token').waitFor();
  await dialog.getByLabel('Token').fill('right-token');
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'files', exact: true }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(page.url()).not.toContain('token');
  await page.goto(`${daemon.url}/ui/`);
  await page.getByRole('cell', { name: 'files', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await dialog.waitFor();
  expect(await page.getByRole('cell', { name: 'files', exact: true }).count()).toBe(0);
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

it('a late refusal of the token before does not open the sign-in dialog again', async () => {
  const page = await openConsole(browser, daemon, '/ui', { refusals: [401] });
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  const late = await holdAnswer(page, '/v1/config', 'wrong-token'); // the updates are refused until then
  await dialog.getByLabel('Token').fill('wrong-token');
  await page.keyboard.press('Enter');
  await dialog.getByText('The service does not know this token').waitFor();
  await late.held;
  await dialog.getByLabel('Token').fill('right-token');
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'files', exact: true }).waitFor();
  await late.release();
  await nextPolls(page);
  expect(await dialog.count()).toBe(0);
  await page.getByRole('table', { name: 'Recent changes of the catalog' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('a late answer from before the sign-in is not shown after it', async () => {
  const upstream = scripted({ tools: [tool('open'), tool('closed')] });
  const roles = { guest: { allow: ['files.open'] }, boss: { admin: true } };
  const guests = await startDaemon({
    mcpServers: { files: upstream.server },
    rbac: { defaultRole: 'guest', roles, tokens: rbac.tokens },
  });
  const page = await openConsole(browser, guests, '/ui/settings', { refusals: [401, 403] });
  const late = await holdAnswer(page, '/v1/capabilities');
  await page.getByRole('link', { name: 'Catalog' }).click();
  await late.held;
  await page.getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByLabel('Token').fill('right-token');
  await page.keyboard.press('Enter');
  await page.getByText('Live', { exact: true }).waitFor();
  await late.release();
  await page.getByRole('row', { name: /files\.closed/ }).waitFor();
});

it('an export that ends after the sign-out saves no file', async () => {
  const page = await openConsole(browser, daemon, '/ui/audit', { refusals: [401], token: 'right-token' });
  let downloads = 0;
  page.on('download', () => {
    downloads += 1;
  });
  const late = await holdAnswer(page, '/v1/audit/export', 'right-token');
  const isExport = (request: Request) => new URL(request.url()).pathname === '/v1/audit/export';
  const over = Promise.race([
    page.waitForEvent('requestfinished', isExport),
    page.waitForEvent('requestfailed', isExport), // the page gave it up
  ]);
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  await late.held;
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
  await late.release();
  await over;
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  expect(downloads).toBe(0);
});

it('a page that the browser kept does not act with a token that the tab has no more', async () => {
  const page = await openConsole(browser, daemon, '/ui', { refusals: [401] });
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByLabel('Token').fill('right-token');
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'files', exact: true }).waitFor();
  // As after a sign-out on a later page of this tab and the Back button; the browser of the tests keeps no pages.
  await page.evaluate(
    "sessionStorage.clear(); dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
  );
  await dialog.waitFor();
  expect(await page.getByRole('cell', { name: 'files', exact: true }).count()).toBe(0);
});

it('a page of another origin cannot show it in a frame', async () => {
  const context = await browser.newContext();
  onCleanup(() => context.close());
  const page = await context.newPage();
  await page.setContent(`<iframe src="${daemon.url}/ui"></iframe>`);
  await eventually(() => expect(page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/'));
});

describe('where administration needs the operator token', () => {
  const folder = tempFolder();
  const [configFile, stateDir] = [join(folder, 'config.json'), join(folder, 'state')];
  const upstream = scripted({ tools: [tool('pay')] });
  const own = ['--config', configFile, '--state-dir', stateDir];
  let guarded: Daemon;

  /** As `portico ui` prints it. */
  const link = async (): Promise<string> => JSON.parse((await portico(['ui', '--json', ...own])).stdout).url;
  const pathOf = (url: string) => url.slice(guarded.url.length);
  const visited = (page: Page) =>
    page.evaluate<string>('JSON.stringify([location.href, history.length, history.state])');

  beforeAll(async () => {
    const config = {
      mcpServers: { bank: upstream.server },
      policy: { requireApproval: ['bank.pay'] },
      access: { operatorToken: true },
    };
    writeFileSync(configFile, JSON.stringify(config));
    guarded = await startDaemon(undefined, { configFile, stateDir });
    await guarded.connected();
  });

  it('the link of portico ui signs the tab in, leaves no code behind, and a decision works', async () => {
    const url = await link();
    const code = url.split('#code=')[1] ?? '';
    const token = readFileSync(join(stateDir, 'operator-token'), 'utf8').trim();
    expect(code).not.toBe('');
    const ticket = await openTicket(guarded, 'bank.pay', { to: 'ann' });
    const page = await openConsole(browser, guarded, pathOf(url));
    await page.getByRole('cell', { name: 'bank', exact: true }).waitFor();
    expect(await page.getByRole('dialog', { name: 'Sign in' }).count()).toBe(0);
    const session = await page.evaluate<string>("sessionStorage.getItem('portico.token')");
    for (const secret of [code, token, session]) {
      expect(await visited(page)).not.toContain(secret);
      expect(await page.evaluate<string>('document.documentElement.outerHTML')).not.toContain(secret);
    }
    expect([session === token, await page.evaluate('localStorage.length + document.cookie.length')]).toEqual([
      false,
      0,
    ]);
    expect(page.url()).toBe(`${guarded.url}/ui`);
    await page.goto(`${guarded.url}/ui/approvals?id=${ticket}`);
    await page.getByLabel('Your name').fill('ann');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    await page.goBack();
    expect(page.url()).toBe(`${guarded.url}/ui`);
    expect((await guarded.get('/v1/config')).status).toBe(401);
  });

  it('the link opens no second tab, which says how to get another one', async () => {
    const url = await link();
    const first = await openConsole(browser, guarded, pathOf(url));
    await first.getByRole('cell', { name: 'bank', exact: true }).waitFor();
    const second = await openConsole(browser, guarded, pathOf(url), { refusals: [401] });
    const dialog = second.getByRole('dialog', { name: 'Sign in' });
    await dialog.waitFor();
    await dialog.getByText('portico ui').waitFor();
    expect(await violationsOn(second)).toEqual([]);
    expect([second.url(), await second.evaluate('sessionStorage.length')]).toEqual([`${guarded.url}/ui`, 0]);
    expect(await second.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  });

  it('a page elsewhere that opens the link or asks for a session learns nothing of it', async () => {
    const code = (await link()).split('#code=')[1] ?? '';
    const context = await browser.newContext();
    onCleanup(() => context.close());
    const page = await context.newPage();
    const answer = await page.evaluate<string>(
      `fetch(${JSON.stringify(`${guarded.url}/v1/console/sessions`)}, { method: 'POST', body: ${JSON.stringify(JSON.stringify({ code }))} }).then((answer) => answer.text(), () => 'refused')`,
    );
    expect(answer).toBe('refused');
    const opened = await openConsole(browser, guarded, `/ui#code=${code}`);
    await opened.getByRole('cell', { name: 'bank', exact: true }).waitFor(); // the code was not spent by it
  });
});
