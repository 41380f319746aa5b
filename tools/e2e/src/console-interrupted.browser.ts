// The console under load and interruptions: a restart of the daemon in the middle, two tabs on one ticket, 500 waiting
// tickets by keyboard, and a result of 5 MB.
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { approvalsOf, contacts, openTicket } from './support/approvals.js';
import { openConsole, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { listSettled } from './support/decisions.js';
import { fixture, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

const gated = () => {
  const upstream = scripted({ tools: [tool('drop_table')] });
  return { upstream, config: { mcpServers: { desk: upstream.server }, policy: { requireApproval: ['desk.*'] } } };
};

const rowOf = (page: Page, table: string) => page.getByRole('listitem').filter({ hasText: `table: "${table}"` });
const approve = (page: Page, table: string) => rowOf(page, table).getByRole('button', { name: /^Approve/ });

async function asAnn(page: Page): Promise<void> {
  await page.evaluate("localStorage.setItem('portico.operator', 'ann')");
  await page.reload();
}

/** One address for a daemon and its successor, as a fixed port has. */
async function addressOf(current: () => Daemon) {
  const server = createServer((client) => {
    const { hostname, port } = new URL(current().url);
    const upstream = createConnection(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanup(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the forwarder has no port');
  return { url: `http://127.0.0.1:${address.port}` };
}

it('a restart in the middle: what waits is there again, and the press that was refused is taken after it', async () => {
  const { upstream, config } = gated();
  const folder = tempFolder();
  const options = { stateDir: join(folder, 'state') };
  let daemon = await startDaemon(config, options);
  await daemon.connected();
  await openTicket(daemon, 'desk.drop_table', { table: 'one' });
  const address = await addressOf(() => daemon);
  const page = await openConsole(browser, address, '/ui/approvals', { mayLoseDaemon: true });
  await asAnn(page);
  await approve(page, 'one').waitFor();
  await daemon.stop();
  await page.getByText(/^The daemon has not answered since/).waitFor();
  await listSettled(page);
  await approve(page, 'one').click();
  await page.getByText('The daemon does not answer.').waitFor();
  expect(contacts(upstream)).toEqual([]);
  daemon = await startDaemon(config, options);
  await page.getByText(/^The daemon has not answered since/).waitFor({ state: 'detached' });
  await listSettled(page);
  await approve(page, 'one').click();
  await eventually(() => expect(contacts(upstream)).toEqual([{ table: 'one' }]));
});

it('two tabs on one ticket: the second press says who has decided, and the tool runs once', async () => {
  const { upstream, config } = gated();
  const daemon = await startDaemon(config);
  await daemon.connected();
  const id = await openTicket(daemon, 'desk.drop_table', { table: 'one' });
  const [first, second] = await Promise.all(
    [0, 1].map(() => openConsole(browser, daemon, `/ui/approvals?id=${id}`, { refusals: [409] })),
  );
  if (first === undefined || second === undefined) throw new Error('two tabs are needed');
  await Promise.all([asAnn(first), asAnn(second)]);
  const press = (page: Page) => page.getByRole('button', { name: /^Approve/ }).first();
  await Promise.all([press(first).waitFor(), press(second).waitFor()]);
  await second.route('**/v1/approvals/*/approve', async (route) => {
    await approvalsOf(daemon).reaches(id, 'approved'); // the other tab was faster
    await route.continue();
  });
  await Promise.all([press(second).click(), press(first).click()]);
  await eventually(() => expect(contacts(upstream)).toEqual([{ table: 'one' }]));
  await second
    .getByRole('status')
    .filter({ hasText: `approval ${id} is not pending: it is approved` })
    .waitFor();
  await second.getByText('approved', { exact: true }).first().waitFor();
  expect(await press(second).count()).toBe(0);
});

it('500 waiting tickets are walked and decided by keyboard', async () => {
  const { upstream, config } = gated();
  const daemon = await startDaemon(config);
  await daemon.connected();
  for (let at = 0; at < 500; at += 1) await openTicket(daemon, 'desk.drop_table', { table: `t${at}` });
  const page = await openConsole(browser, daemon, '/ui/approvals');
  await asAnn(page);
  await page.locator('main [data-row]').first().waitFor();
  await listSettled(page);
  for (let at = 0; at < 500; at += 1) await page.keyboard.press('j');
  const focused = page.locator(':focus');
  const chosen = /table: "(t\d+)"/.exec(await focused.innerText())?.[1];
  expect(chosen).toBe('t499');
  await listSettled(page);
  await page.keyboard.press('a');
  await eventually(() => expect(contacts(upstream)).toEqual([{ table: chosen }]));
});

it('a result of 5 MB is shown, and the page answers the next key', async () => {
  const daemon = await startDaemon({ mcpServers: { box: fixture() } });
  await daemon.connected();
  const page = await openConsole(browser, daemon, '/ui/catalog?id=box.big');
  await page.getByLabel('bytes (required)').fill('5000000');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const result = page.getByRole('figure', { name: 'Content 1' });
  await result.getByText('The first 100,000 of 5,000,000 characters.').waitFor();
  expect((await result.getByRole('region').innerText()).length).toBe(100_000);
  expect(await violationsOn(page)).toEqual([]);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await result.getByRole('button', { name: /^Show all/ }).click();
  await eventually(async () => expect((await result.getByRole('region').innerText()).length).toBe(5_000_000));
});
