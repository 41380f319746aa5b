// The console while things happen: calls that arrive, a daemon that goes away, a role that may read little, lists that are
// long, and names that hide something.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleOptions, keepScreenshot, openConsole, overflowOf, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { frameCostOf, plainCostOf } from './support/frame-cost.js';
import { framesOf, layoutShiftOf, watchLayoutShift } from './support/geometry.js';
import { fixture, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

/** Pixels of a row of a long list. */
const rowHeight = 32;

const feed = (page: Page) => page.getByRole('table', { name: 'The last calls' });

describe('calls that arrive', () => {
  let daemon: Daemon;
  const call = (agent: string, args: object = {}) =>
    daemon.post('/v1/tools/call', { capability_id: 'files.null_call', args }, { 'x-service-client': agent });

  beforeAll(async () => {
    daemon = await startDaemon({ mcpServers: { files: fixture() } });
    await daemon.connected();
    for (let calls = 0; calls < 15; calls += 1) await call('early');
  });

  it('are shown as they end, and nothing on the page moves', async () => {
    const page = await openConsole(browser, daemon);
    await feed(page).getByText('early called files.null_call').first().waitFor();
    await page.locator('.chart-bar').first().waitFor();
    await page.locator('.legend', { hasText: 'P95' }).waitFor();
    await page.locator('.spinner').first().waitFor({ state: 'detached' });
    await watchLayoutShift(page);
    for (let calls = 0; calls < 20; calls += 1) await call(`agent${calls}`);
    await feed(page).getByText('agent19 called files.null_call').waitFor();
    const { sum, moved } = await layoutShiftOf(page);
    console.log(`web console: layout shift of ${sum} while 20 calls arrive`);
    expect([sum, moved]).toEqual([0, []]);
  });

  it('do not replace the row under the pointer', async () => {
    await call('before');
    const page = await openConsole(browser, daemon);
    const row = feed(page).getByRole('row').filter({ hasText: 'before called files.null_call' });
    await row.hover();
    await call('after');
    await page.getByText('Held while you are in it: 1 newer').waitFor();
    expect(await row.count()).toBe(1);
    await page.getByRole('heading', { level: 1 }).hover();
    await feed(page).getByText('after called files.null_call').waitFor();
  });

  it('of agents with markup in their names are shown as text, with what hides in their arguments named', async () => {
    await call('<img src=x onerror=alert(1)>', { file: '\u202egnp.exe', esc: '\u001b[31m' });
    for (const path of ['/ui', '/ui/audit']) {
      const page = await openConsole(browser, daemon, path);
      const row = page.getByRole('row').filter({ hasText: '<img src=x onerror=alert(1)>' }).first();
      await row.getByText('<U+202E>gnp.exe').waitFor();
      expect(await page.locator('main img').count()).toBe(0);
      await row.getByRole('link', { name: /^Why\?/ }).click();
      const panel = page.getByRole('complementary');
      await panel.getByRole('heading', { name: /<img src=x onerror=alert\(1\)> called/ }).waitFor();
      await panel.getByText('<U+202E>gnp.exe').first().waitFor();
      expect(await panel.locator('img').count()).toBe(0);
      expect(await violationsOn(page)).toEqual([]);
    }
  });

  it('are searched by one line with chips, and a misspelt term says what was meant', async () => {
    await call('cursor');
    const page = await openConsole(browser, daemon, '/ui/audit');
    const line = page.getByRole('searchbox', { name: 'Search' });
    await page.locator('.figure-line').waitFor();
    await line.fill('agnet:cursor');
    await page.keyboard.press('Enter');
    await page.getByText('There is no term "agnet:". Did you mean "agent:"?').waitFor();
    expect(await line.inputValue()).toBe('agnet:cursor');
    await line.fill('files.null_call agent:cursor outcome:done since:today');
    await page.keyboard.press('Enter');
    await page
      .getByRole('main')
      .getByRole('status')
      .filter({ hasText: /^1 record$/ })
      .waitFor();
    await page.getByRole('link', { name: '1 done', exact: true }).waitFor(); // the bars count what is searched
    expect(await violationsOn(page)).toEqual([]);
    await keepScreenshot(page, 'audit-search');
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('client'), searchParams.get('status'), searchParams.get('q')]).toEqual([
      'cursor',
      'success',
      'files.null_call',
    ]);
    await page.getByRole('button', { name: 'agent:cursor' }).click();
    await page.getByRole('button', { name: 'files.null_call' }).click();
    await eventually(() => expect(new URL(page.url()).searchParams.has('client')).toBe(false));
    await page
      .getByRole('main')
      .getByRole('status')
      .filter({ hasText: /^\d\d records$/ })
      .waitFor();
  });
});

describe.each([
  ['light', {}],
  ['dark', { theme: 'dark' }],
  ['phone', { isPhone: true }],
] as const satisfies readonly (readonly [string, ConsoleOptions])[])(
  'a new installation on a %s screen',
  (look, options) => {
    it('shows three steps with their state, and that no person is needed', async () => {
      const daemon = await startDaemon({ mcpServers: {} });
      const page = await openConsole(browser, daemon, '/ui', options);
      const steps = page.getByRole('list').filter({ hasText: 'Add MCP servers' });
      await steps.getByText('Attach an AI client').waitFor();
      expect(await steps.getByText('to do', { exact: true }).count()).toBe(3);
      await page.getByText('Nothing needs you.').waitFor();
      expect([await violationsOn(page), await overflowOf(page)]).toEqual([[], 0]);
      await keepScreenshot(page, `overview-new-${look}`);
    });
  },
);

it('a daemon that goes away is said once, above figures that stay', async () => {
  const daemon = await startDaemon({ mcpServers: { files: fixture() } });
  await daemon.connected();
  const page = await openConsole(browser, daemon, '/ui', { mayLoseDaemon: true });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('cell', { name: 'files', exact: true }).waitFor();
  await daemon.stop();
  await page.getByText(/^The daemon has not answered since \d\d:\d\d:\d\d\./).waitFor();
  await page.getByRole('cell', { name: 'files', exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
  expect(await violationsOn(page)).toEqual([]);
  await keepScreenshot(page, 'overview-away');
});

it('a role that is no administrator sees what it may read, and asks for nothing else', async () => {
  const roles = { guest: { allow: ['files.null_call'] }, boss: { admin: true } };
  const daemon = await startDaemon({
    mcpServers: { files: fixture() },
    rbac: { defaultRole: 'guest', roles, tokens: [] },
  });
  await daemon.connected('files');
  const page = await openConsole(browser, daemon, '/ui/catalog');
  let refused = 0;
  page.on('response', (response) => {
    if (response.status() === 403) refused += 1;
  });
  await page.getByRole('link', { name: 'files.null_call' }).waitFor();
  await page.getByText(/limited role/).waitFor();
  const menu = page.getByRole('navigation', { name: 'Pages' });
  await menu.getByRole('link', { name: 'Audit' }).waitFor({ state: 'detached' });
  await menu.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Nothing needs you.').waitFor();
  await page.getByRole('cell', { name: 'files', exact: true }).waitFor();
  expect(await page.getByRole('heading', { name: 'Activity' }).count()).toBe(0);
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Restart/ }).count()).toBe(0);
  expect(await violationsOn(page)).toEqual([]);
  expect(refused).toBe(0);
});

it('ten thousand tools are a list with few rows, found by scrolling and by Ctrl-K', async () => {
  const tools = Array.from({ length: 10_000 }, (_, at) =>
    tool(`t${String(at).padStart(5, '0')}`, { description: `Number ${at}` }),
  );
  const daemon = await startDaemon({ mcpServers: { big: scripted({ tools }).server } });
  await daemon.connected();
  const page = await openConsole(browser, daemon, '/ui/catalog');
  await page.getByRole('link', { name: 'big.t00000' }).waitFor();
  const rows = () => page.locator('main [data-row]').count();
  expect(await rows()).toBeLessThan(100);
  await expectCheapFrames(page);
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
  await page.getByRole('link', { name: 'big.t09999' }).waitFor();
  expect(await rows()).toBeLessThan(100);
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByRole('dialog', { name: 'Search or jump' }).getByRole('option').first().waitFor();
  await page.keyboard.type('t07777');
  await page.getByRole('option', { selected: true }).getByText('big.t07777').waitFor();
});

/**
 * Scrolls by nine rows in each frame. How many frames are drawn depends on what else the machine does, and is only printed; what
 * a frame costs is compared with what the browser needs for the same rows without a script of the page.
 */
async function expectCheapFrames(page: Page): Promise<void> {
  const scrolling = { pixels: 9 * rowHeight, frames: 60 };
  const frames = await framesOf(page, scrolling.pixels);
  const cost = await frameCostOf(page, scrolling);
  const plain = await plainCostOf(page, scrolling, rowHeight);
  console.log(
    `web console: ${frames} frames in a second of scrolling over 10,000 rows; ${cost.ms.toFixed(1)} ms of the processor for each, of 16.7 ms; ${plain.ms.toFixed(1)} ms without scripts`,
  );
  expect(cost.ms / plain.ms).toBeLessThan(3);
  expect(cost.added / plain.added).toBeLessThan(1.1);
  expect(cost.reads).toBe(0);
}
