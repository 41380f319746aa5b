// Typed text in the console stays when it cannot be saved: the sign-in is over, another person changed the same thing, or
// the daemon is away.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { openConsole } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';

const token = 'right-token';
const as = { authorization: `Bearer ${token}` };

let daemon: Daemon;
let browser: Browser;
let configFile: string;

beforeAll(async () => {
  daemon = await startDaemon({
    mcpServers: { desk: scripted({ tools: [tool('add')] }).server },
    policy: { deny: ['pay.*'] },
    rbac: { roles: { boss: { admin: true } }, tokens: [{ role: 'boss', token }] },
  });
  browser = await openBrowser();
  configFile = (await daemon.get<{ readonly config_path: string }>('/v1/config', as)).body.config_path;
});

/** The form of a new rule with something in it. */
async function typeRule(page: Page, text: string) {
  const field = page.getByLabel('Add to denied');
  await field.fill(text);
  return field;
}

const denied = (): readonly string[] => JSON.parse(readFileSync(configFile, 'utf8')).policy.deny;

it('a sign-in that is over is asked for again, and what was typed is saved after it', async () => {
  const page = await openConsole(browser, daemon, '/ui/policy', { token, refusals: [401] });
  const field = await typeRule(page, 'shop.*');
  let isOver = true;
  await page.route('**/v1/**', (route) =>
    isOver
      ? route.fulfill({ status: 401, json: { ok: false, error: { code: 'UNAUTHORIZED', message: 'it is over' } } })
      : route.fallback(),
  );
  await field.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByText('The service does not know this token, or it is over.').waitFor();
  await page.getByText('Sign in to see the policy.').waitFor(); // what was shown is hidden, with the form in it
  expect(await field.isVisible()).toBe(false);
  isOver = false;
  await dialog.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await field.waitFor();
  expect(await field.inputValue()).toBe('shop.*');
  await field.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Rule shop.* is added' }).waitFor();
  expect(denied()).toContain('shop.*');
});

it('a rule that another person removed while it was edited is said to be gone, and what was typed stays', async () => {
  const page = await openConsole(browser, daemon, '/ui/policy', { token });
  await page.getByRole('button', { name: 'Edit pay.*' }).click();
  const field = page.getByLabel('Change pay.*');
  await field.fill('bank.*');
  const others = denied().filter((rule) => rule !== 'pay.*');
  await daemon.post('/v1/config/policy', { deny: others }, as);
  for (let polls = 0; polls < 2; polls += 1)
    await page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/config'); // the page knows of it
  await field.press('Enter');
  await page.getByText(/"pay\.\*" is not on the list any more/).waitFor();
  expect([await field.inputValue(), denied()]).toEqual(['bank.*', others]);
});

it('a change that does not reach the daemon says so, and is saved once it is back', async () => {
  const page = await openConsole(browser, daemon, '/ui/policy', { token, mayLoseDaemon: true });
  const field = await typeRule(page, 'mail.*');
  await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
  await field.press('Enter');
  await page.getByRole('alert').first().waitFor();
  expect(await field.inputValue()).toBe('mail.*');
  await page.unroute('**/v1/**');
  await field.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Rule mail.* is added' }).waitFor();
  expect(denied()).toContain('mail.*');
});
