// Lists of decisions in the console while tickets come and go: a click decides on the ticket that it was meant for.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { openConsole } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { leaveList, listSettled } from './support/decisions.js';
import { scripted, tool } from './support/upstreams.js';

const config = {
  mcpServers: { flaky: scripted({ tools: [tool('drop_table')] }).server },
  policy: { requireApproval: ['flaky.*'] },
};

let browser: Browser;
let daemon: Daemon;
let ids: readonly string[];

beforeAll(async () => {
  browser = await openBrowser();
});

beforeEach(async () => {
  daemon = await startDaemon(config);
  await daemon.connected('flaky');
  ids = [
    await openTicket(daemon, 'flaky.drop_table', { table: 'one' }),
    await openTicket(daemon, 'flaky.drop_table', { table: 'two' }),
  ];
});

const rowOf = (page: Page, table: string) => page.getByRole('listitem').filter({ hasText: `table: "${table}"` });
const rejectFirst = () => daemon.post(`/v1/approvals/${ids[0]}/reject`, { operator: 'bob' });

/** The tab of a person whose name is known, with the decisions that it sends. */
async function openQueue(path: string) {
  const page = await openConsole(browser, daemon, path);
  await page.evaluate("localStorage.setItem('portico.operator', 'ann')");
  await page.reload();
  const decided: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') decided.push(new URL(request.url()).pathname);
  });
  await rowOf(page, 'two').waitFor();
  await page.locator('main .spinner').first().waitFor({ state: 'detached' }); // parts above the list have their height
  return { page, decided };
}

it.each(['/ui', '/ui/approvals'])('a second click at the place of a row on %s decides nothing', async (path) => {
  const { page, decided } = await openQueue(path);
  const button = await rowOf(page, 'one')
    .getByRole('button', { name: /^Approve/ })
    .boundingBox();
  const [x, y] = [(button?.x ?? 0) + 10, (button?.y ?? 0) + 10];
  await page.mouse.dblclick(x, y);
  await rowOf(page, 'one').getByText('decided', { exact: true }).waitFor();
  await page.mouse.click(x, y);
  await leaveList(page);
  await rowOf(page, 'one').waitFor({ state: 'detached' });
  expect(decided).toEqual([`/v1/approvals/${ids[0]}/approve`]);
  expect(
    await rowOf(page, 'two')
      .getByRole('button', { name: /^Approve/ })
      .count(),
  ).toBe(1);
});

it('a row that leaves keeps its place while the pointer is in the list, and a new one comes last', async () => {
  const { page } = await openQueue('/ui/approvals');
  await rowOf(page, 'two').hover();
  const topOfTwo = async () => (await rowOf(page, 'two').boundingBox())?.y;
  const before = await topOfTwo();
  await rejectFirst();
  await rowOf(page, 'one').getByText('decided', { exact: true }).waitFor();
  await openTicket(daemon, 'flaky.drop_table', { table: 'three' });
  await rowOf(page, 'three').waitFor();
  expect(await topOfTwo()).toBe(before);
  expect(await rowOf(page, 'one').getByRole('button').count()).toBe(0);
  const texts = await page.getByRole('main').getByRole('listitem').allInnerTexts();
  expect(texts.map((text) => /table: "(\w+)"/.exec(text)?.[1])).toEqual(['one', 'two', 'three']);
  await leaveList(page);
  await rowOf(page, 'one').waitFor({ state: 'detached' });
});

it('a click on a row that has just come to the place of another is not taken', async () => {
  const { page, decided } = await openQueue('/ui/approvals');
  await page.evaluate(
    "new MutationObserver(([change], seen) => { seen.disconnect(); const button = change.target.querySelector('button'); const { left, top } = button.getBoundingClientRect(); button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1, clientX: left + 5, clientY: top + 5 })); }).observe(document.querySelector('main .needs'), { childList: true })",
  );
  await listSettled(page);
  await rejectFirst();
  await page.getByText('The list has just moved').waitFor();
  expect(decided).toEqual([]);
  await listSettled(page);
  await rowOf(page, 'two')
    .getByRole('button', { name: /^Reject/ })
    .click();
  await leaveList(page);
  await page.getByText('Nothing waits for a decision.').waitFor();
  expect(decided).toEqual([`/v1/approvals/${ids[1]}/reject`]);
});

it('a role that may not decide sees who it waits for', async () => {
  daemon = await startDaemon({
    ...config,
    rbac: { defaultRole: 'guest', roles: { guest: { allow: ['flaky.*'] }, boss: { admin: true } }, tokens: [] },
  });
  await daemon.connected('flaky');
  const id = await openTicket(daemon, 'flaky.drop_table', { table: 'mine' });
  const page = await openConsole(browser, daemon, '/ui', { refusals: [403] });
  await rowOf(page, 'mine').getByText('Waits for an administrator').waitFor();
  expect(await rowOf(page, 'mine').getByRole('button').count()).toBe(0);
  await rowOf(page, 'mine').getByRole('link').first().click();
  await page.waitForURL((url) => url.searchParams.get('id') === id);
  await page.getByText('Waits for an administrator').waitFor();
  expect(await page.getByRole('button', { name: /^(Approve|Reject)/ }).count()).toBe(0);
});
