// Who gets to see something in the console: it asks for a token where the service does, and stands in nobody's frame.
import type { Browser } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { keepScreenshot, openConsole, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { onCleanup } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const rbac = { roles: { boss: { admin: true } }, tokens: [{ role: 'boss', token: 'right-token' }] };

let daemon: Daemon;
let browser: Browser;

beforeAll(async () => {
  [daemon, browser] = await Promise.all([startDaemon({ mcpServers: { files: fixture() }, rbac }), openBrowser()]);
});

it('a token is asked for where the service wants one, kept in the tab, and forgotten on request', async () => {
  const page = await openConsole(browser, daemon, '/ui', { refusals: [401] });
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.waitFor();
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

it('a page of somebody else cannot show it in a frame', async () => {
  const context = await browser.newContext();
  onCleanup(() => context.close());
  const page = await context.newPage();
  await page.setContent(`<iframe src="${daemon.url}/ui"></iframe>`);
  await eventually(() => expect(page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/'));
});
