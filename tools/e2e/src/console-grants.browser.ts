// Approvals that are remembered, in the console: made on a ticket with the scope that a person chooses, listed on the page
// Safety, and revoked after a question.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contacts, openTicket } from './support/approvals.js';
import { type ConsoleOptions, keepScreenshot, openConsole, overflowOf, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { grantsOf } from './support/grants.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';

const args = { repo: 'acme/site', title: 'one', 'bo\u200bdy': '<img src=x onerror=alert(1)>\u202E' };
const policy = { requireApproval: ['desk.*'], grants: { enabled: true, maxUses: 50 } };
const looks: readonly (readonly [string, ConsoleOptions])[] = [
  ['light', {}],
  ['dark', { theme: 'dark' }],
  ['phone', { isPhone: true }],
];

let browser: Browser;
let upstream: Scripted;
let daemon: Daemon;

beforeAll(async () => {
  browser = await openBrowser();
});

async function start(config: object = { policy }): Promise<void> {
  upstream = scripted({ tools: [tool('create_issue'), tool('wipe', { annotations: { destructiveHint: true } })] });
  daemon = await startDaemon({ mcpServers: { desk: upstream.server }, ...config });
  await daemon.connected();
}

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Grants, newest first' }).locator('[data-row]');
const rememberButton = (page: Page) => page.getByRole('button', { name: 'Approve and remember…' });
const rememberDialog = (page: Page) => page.getByRole('dialog', { name: 'Approve and remember' });

/** Makes a grant for calls with the repository of `args`. */
async function makeGrant(uses = 20, given: object = args, keep: readonly string[] = ['/repo']): Promise<string> {
  const { ask, approve } = grantsOf(daemon);
  const { body } = await approve(await ask('desk.create_issue', given), { ttl_secs: 3600, uses, keep });
  return body.grant_id ?? '';
}

async function openTicketPage(options: ConsoleOptions = {}, id = 'desk.create_issue'): Promise<Page> {
  const ticket = await openTicket(daemon, id, args);
  const page = await openConsole(browser, daemon, `/ui/approvals?id=${ticket}`, options);
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  return page;
}

describe('a ticket', () => {
  beforeEach(() => start());

  it.each(looks)(
    'on a %s screen is approved and remembered in a scope that is said in words',
    async (look, options) => {
      const page = await openTicketPage(options);
      await rememberButton(page).click();
      await page.getByText('Say who decides.').waitFor();
      await page.getByLabel('Your name').fill('Ann');
      await rememberButton(page).click();
      const dialog = rememberDialog(page);
      await dialog
        .getByText(/^Up to 20 more calls of the same caller within 8 h will not wait.* with exactly repo: /)
        .waitFor();
      await dialog.getByText('<U+200B>').first().waitFor();
      expect(await dialog.locator('img').count()).toBe(0);
      await dialog.getByLabel('title: "one"').uncheck();
      await dialog.getByLabel(/^"bo/).uncheck();
      await dialog.getByLabel('For').selectOption('4 h');
      await dialog.getByLabel('Uses').fill('2');
      const sentence = dialog.getByRole('status');
      await sentence
        .filter({
          hasText:
            /^Up to 2 more calls of the same caller within 4 h .* with repo: "acme\/site", and any value of title and "bo/,
        })
        .waitFor();
      expect([await violationsOn(page), await overflowOf(page)]).toEqual([[], 0]);
      await keepScreenshot(page, `approval-remember-${look}`);
      expect(contacts(upstream)).toEqual([]);
      await dialog.getByRole('button', { name: 'Approve and remember' }).click();
      await page.getByRole('heading', { name: 'Remembered' }).waitFor();
      expect(contacts(upstream)).toEqual([args]);
      for (const title of ['two', 'three'])
        expect((await daemon.call('desk.create_issue', { ...args, title })).status).toBe(200);
      expect((await daemon.call('desk.create_issue', { ...args, title: 'four' })).status).toBe(202);
      await page.getByRole('link', { name: /^grant-/ }).click();
      const shown = page.getByRole('dialog', { name: /^grant-/ });
      await shown.getByText('used up', { exact: true }).waitFor();
      await shown.getByText('0 of 2', { exact: true }).waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await keepScreenshot(page, `safety-grant-${look}`);
    },
  );

  it('keeps what was typed when it is refused, and says why', async () => {
    const page = await openTicketPage({ refusals: [400] });
    await page.getByLabel('Your name').fill('Ann');
    await rememberButton(page).click();
    const dialog = rememberDialog(page);
    const uses = dialog.getByLabel('Uses');
    for (const wrong of ['0', '51', '-1', 'x', '1.5']) {
      await uses.fill(wrong);
      await dialog.getByText('Enter a whole number from 1 to 50.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Approve and remember' }).isDisabled()).toBe(true);
    }
    await uses.fill('50');
    // The limit is lowered by another person in between.
    await page.route('**/approve', async (route) => {
      await daemon.post('/v1/config/policy', { grants: { enabled: true, maxUses: 5 } });
      const body = { ...route.request().postDataJSON(), grant: { ttl_secs: 60, uses: 51 } };
      await route.continue({ postData: JSON.stringify(body) });
    });
    await dialog.getByRole('button', { name: 'Approve and remember' }).click();
    await dialog.getByText(/uses must be an integer from 1 to \d+ \(policy.grants.maxUses\), got 51/).waitFor();
    expect([await uses.inputValue(), contacts(upstream)]).toEqual(['50', []]);
  });

  it('is not remembered with edited arguments, or where no grant may be made', async () => {
    const page = await openTicketPage();
    await page.getByLabel('Arguments', { exact: true }).fill('{"repo": "acme/other"}');
    await page.getByRole('figure', { name: 'Your changes' }).waitFor();
    expect(await rememberButton(page).isDisabled()).toBe(true);
    const destructive = await openTicketPage({}, 'desk.wipe');
    expect(await rememberButton(destructive).count()).toBe(0);
  });
});

describe('grants', () => {
  it.each(looks)(
    'are listed on a %s screen with their scope and use, and revoked after a question',
    async (look, options) => {
      await start();
      const used = await makeGrant(1);
      await daemon.call('desk.create_issue', { ...args, title: 'two' });
      const id = await makeGrant();
      await daemon.call('desk.create_issue', { ...args, title: 'two' });
      const page = await openConsole(browser, daemon, '/ui/safety/grants', options);
      const row = rowsOf(page).filter({ hasText: id });
      for (const text of ['repo: "acme/site"', /^title and "bo/, '19 of 20', 'active'])
        await row.getByText(text, { exact: true }).first().waitFor();
      expect(await rowsOf(page).count()).toBe(1);
      expect([await violationsOn(page), await overflowOf(page)]).toEqual([[], 0]);
      await keepScreenshot(page, `safety-grants-${look}`);
      await daemon.call('desk.create_issue', { ...args, title: 'three' }); // others use it while it is shown
      await row.getByText('18 of 20').waitFor();

      await row.getByRole('button', { name: /^Revoke/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Revoke this grant?' });
      await dialog
        .getByText(/^These calls ask a person again: runs of desk.create_issue with repo: "acme\/site"/)
        .waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect(await grantsOf(daemon).grant(id)).toMatchObject({ state: 'active' });
      await row.getByRole('button', { name: /^Revoke/ }).click();
      await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
      await page
        .getByRole('status')
        .filter({ hasText: `${id} is revoked` })
        .waitFor();
      await page.getByText(/^No approval is remembered now\./).waitFor();
      expect((await daemon.call('desk.create_issue', args)).status).toBe(202);
      await page.getByLabel('Show').selectOption('Ended');
      await row.getByText('revoked', { exact: true }).waitFor();
      await rowsOf(page).filter({ hasText: used }).getByText('used up', { exact: true }).waitFor();
      expect(
        await rowsOf(page)
          .getByRole('button', { name: /^Revoke/ })
          .count(),
      ).toBe(0);
    },
  );

  it('are opened by keyboard, with an address of their own and a link to their ticket', async () => {
    await start();
    const id = await makeGrant();
    const page = await openConsole(browser, daemon, '/ui/safety/grants');
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: id });
    await dialog.getByText('repo: "acme/site"', { exact: true }).waitFor();
    await page.waitForURL((url) => url.searchParams.get('id') === id);
    await page.reload();
    await dialog.getByRole('link', { name: /^appr-/ }).click();
    await page.getByText('approved', { exact: true }).first().waitFor();
  });

  it('that end while they are shown say so, and a revocation that comes late is refused', async () => {
    await start();
    const id = await makeGrant();
    const page = await openConsole(browser, daemon, '/ui/safety/grants', { refusals: [409] });
    await rowsOf(page)
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await page.route(`**/v1/grants/${id}`, async (route) => {
      if (route.request().method() === 'DELETE') await grantsOf(daemon).remove(`/v1/grants/${id}`); // another tab was faster
      await route.fallback();
    });
    const dialog = page.getByRole('dialog', { name: 'Revoke this grant?' });
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/^No approval is remembered now\./).waitFor();
  });

  it('that are off say how to turn them on', async () => {
    await start({});
    const page = await openConsole(browser, daemon, '/ui/safety/grants');
    await page.getByRole('heading', { name: 'Grants are off' }).waitFor();
    const { config_path: file } = (await daemon.get<{ readonly config_path: string }>('/v1/config')).body;
    await page.getByText(file, { exact: true }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });
});
