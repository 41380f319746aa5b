// The link of a notice in a browser: it opens the ticket, after signing in where a token is asked for. The title of the
// tab has the number of waiting tickets, and so has a notification, once it is switched on.
import type { Browser } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { approvalsOf, openTicket } from './support/approvals.js';
import { openConsole, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startNoticeService } from './support/notice-services.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const rbac = { roles: { boss: { admin: true } }, tokens: [{ role: 'boss', token: 'right-token' }] };

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});

async function start(more: object = {}) {
  const service = await startNoticeService();
  const daemon = await startDaemon({
    mcpServers: { s: scripted({ tools: [tool('echo')] }).server },
    policy: { requireApproval: ['s.*'] },
    approvals: { notices: [{ name: 'phone', format: 'ntfy', url: service.url, topic: 't' }] },
    ...more,
  });
  return { service, daemon };
}

const pathOf = (link: unknown, daemon: Daemon) => {
  const { origin, pathname, search, hash } = new URL(String(link));
  expect([origin, hash]).toEqual([daemon.url, '']);
  return pathname + search;
};

it('the link of a notice opens the ticket after signing in', async () => {
  const { service, daemon } = await start({ rbac });
  await openTicket(daemon, 's.echo', { path: '/tmp/a' }, { headers: { Authorization: 'Bearer right-token' } });
  const [sent] = await eventually(() => {
    expect(service.sent).toHaveLength(1);
    return service.sent;
  });
  const page = await openConsole(browser, daemon, pathOf(sent?.body.click, daemon), { refusals: [401] });
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByLabel('Token').fill('right-token');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  expect(page.url()).toBe(sent?.body.click);
  await eventually(async () => expect(await page.title()).toMatch(/^\(1\) /));
});

it('the title counts what waits, and a notification says how much and not what', async () => {
  const { daemon } = await start();
  await daemon.connected();
  const page = await openConsole(browser, daemon, '/ui/approvals');
  await page.addInitScript(
    `window.notified = [];
     window.Notification = class { constructor(title, { body }) { window.notified.push(title + ': ' + body); }
       static requestPermission = async () => 'granted'; };
     Object.defineProperty(document, 'hidden', { get: () => true });`,
  );
  await page.reload();
  const titled = (title: string) => eventually(async () => expect(await page.title()).toBe(title));
  const toggle = page.getByLabel('Notify me of waiting calls');
  expect(await toggle.isChecked()).toBe(false);
  await toggle.click();
  expect(await toggle.isChecked()).toBe(true);
  expect(await violationsOn(page)).toEqual([]);
  const id = await openTicket(daemon, 's.echo', { secret_plan: 'x' });
  await titled('(1) Approvals · Portico');
  await eventually(async () =>
    expect(await page.evaluate('window.notified')).toEqual(['Portico: A call waits for your decision.']),
  );
  await approvalsOf(daemon).approve(id);
  await titled('Approvals · Portico');
  await page.reload();
  expect(await toggle.isChecked()).toBe(true);
});
