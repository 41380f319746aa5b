// Lists of the console: each by keyboard, sorted by its columns, and its numbers as links to the counted entries. The messages
// between Portico and a server during a call are in its explanation.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { openConsole, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { grantsOf } from './support/grants.js';
import { samplingOf } from './support/sampling.js';
import { fixture, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

let daemon: Daemon;
let browser: Browser;

beforeAll(async () => {
  const desk = scripted({
    tools: [tool('add'), tool('count'), tool('remove'), tool('wipe')],
    resources: [{ uri: 'file:///a.txt', name: 'a' }],
    prompts: [{ name: 'greet' }],
  });
  daemon = await startDaemon({
    mcpServers: { desk: desk.server, slow: fixture() },
    policy: { requireApproval: ['desk.remove'], deny: ['desk.wipe'], grants: { enabled: true } },
    capabilityAliases: { plus: { target: 'slow.echo' } },
    profiles: { reading: { servers: ['desk'] } },
    inspect: { enabled: true },
    budgets: [{ id: 'per-server', scope: { by: 'server' }, calls: 1000 }],
  });
  browser = await openBrowser();
  await daemon.connected();
  await daemon.call('desk.count', {});
  for (let at = 0; at < 3; at += 1) await daemon.call('desk.add', { at }, { idempotency_key: `add ${at}` });
  await daemon.call('desk.wipe', {});
  const { ask, approve } = grantsOf(daemon);
  await approve(await ask('desk.remove', { name: 'kept' }), { ttl_secs: 3600, uses: 5 });
  await openTicket(daemon, 'desk.remove', { name: 'a' });
  await daemon.post('/v1/tools/call', { capability_id: 'slow.null_call', args: {} }, { prefer: 'respond-async' });
  await samplingOf(daemon).create({ server_id: 'desk' }, { prefer: 'respond-async' });
  // Numbers of calls do not change any more.
  await eventually(async () => {
    const { body } = await daemon.get<{ readonly tasks: readonly object[] }>('/v1/tasks?status=completed');
    expect(body.tasks).toHaveLength(1);
  });
});

const focused = (page: Page) => page.locator(':focus');

describe('by keyboard', () => {
  it.each([
    ['/ui', 'desk.remove', /^\/ui\/approvals\?id=appr-/],
    ['/ui/approvals', 'desk.remove', /^\/ui\/approvals\?id=appr-/],
    ['/ui/audit?q=desk.wipe', 'desk.wipe', /why=aud-/],
    ['/ui/catalog', 'desk.add', /id=desk\.add$/],
    ['/ui/catalog?kind=resources', 'file:///a.txt', /kind=resources&id=/],
    ['/ui/catalog?kind=prompts', 'desk.greet', /kind=prompts&id=/],
    ['/ui/servers', 'desk', /^\/ui\/servers\/desk$/],
    ['/ui/servers/desk', 'desk.add', /id=desk\.add$/],
    ['/ui/clients', 'Claude', /^\/ui\/audit\?q=/],
    ['/ui/tasks', 'slow.null_call', 'dialog'],
    ['/ui/tasks?tab=sampling', 'desk', 'dialog'],
    ['/ui/aliases', 'plus', 'dialog'],
    ['/ui/profiles', 'reading', 'dialog'],
    ['/ui/idempotency', 'add', 'dialog'],
    ['/ui/policy', 'desk.wipe', 'field'],
    ['/ui/safety/grants', 'desk.remove', 'dialog'],
    ['/ui/safety/budgets', 'desk', 'dialog'],
  ] as const)('a row of %s is reached by j and k and opened by Enter', async (path, text, opened) => {
    const page = await openConsole(browser, daemon, path);
    const { keyboard } = page;
    const row = page.locator('main [data-row]').filter({ hasText: text }).first();
    await row.waitFor();
    const rows = await page.locator('main [data-row]').count();
    await keyboard.press('j');
    // Compared by element: the text of a row changes when the counts of its calls arrive.
    const first = await page.evaluateHandle<{ matches(selector: string): boolean }>('document.activeElement');
    const hasFocus = () => first.evaluate((row) => row.matches('[data-row]:focus'));
    expect(await hasFocus()).toBe(true);
    if (rows > 1) {
      await keyboard.press('j');
      await keyboard.press('k');
    }
    expect(await hasFocus()).toBe(true);
    for (let steps = 0; steps < rows && !(await focused(page).innerText()).includes(text); steps += 1)
      await keyboard.press('j');
    await keyboard.press('Enter');
    if (opened === 'dialog') await page.getByRole('dialog').waitFor();
    else if (opened === 'field') await page.getByLabel(`Change ${text}`).waitFor();
    else await page.waitForURL(({ pathname, search }) => opened.test(`${pathname}${search}`));
  });
});

it('tools are sorted by a column, and the other way around by the next press', async () => {
  const page = await openConsole(browser, daemon, '/ui/catalog');
  const table = page.getByRole('table', { name: 'Tools' });
  const first = () => table.locator('[data-row]').first();
  await table.getByRole('link', { name: '3 calls of desk.add' }).waitFor();
  const head = table.getByRole('columnheader', { name: /^Calls/ });
  const press = () => head.getByRole('button').press('Enter');
  for (const order of ['descending', 'ascending'] as const) {
    await press();
    await eventually(async () => expect(await head.getAttribute('aria-sort')).toBe(order));
    const counts = (await table.locator('[data-row] .cell-calls').allInnerTexts()).map((text) =>
      Number.parseInt(text, 10),
    );
    expect(counts).toEqual(counts.toSorted((a, b) => (order === 'ascending' ? a - b : b - a)));
    expect(counts[0]).toBe(order === 'ascending' ? 0 : 3);
  }
  await table.getByRole('columnheader', { name: /^Tool/ }).getByRole('button').click();
  await first().getByRole('link', { name: 'desk.add', exact: true }).waitFor();
  expect(await head.getAttribute('aria-sort')).toBeNull();
  expect(await violationsOn(page)).toEqual([]);
});

it('the explanation of a call has the messages between Portico and the server', async () => {
  const page = await openConsole(browser, daemon, '/ui/audit?q=desk.count');
  await page.getByRole('link', { name: /^Why\? desk\.count/ }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('2 messages between Portico and the server').click();
  const frames = panel.locator('.frames > li');
  await frames.nth(1).waitFor();
  const texts = await frames.allInnerTexts();
  expect(texts[0]).toMatch(/→ to\s*desk\s*tools\/call[\s\S]*"name": "count"/);
  expect(texts[1]).toMatch(/← from\s*desk[\s\S]*"result"/);
  expect(await violationsOn(page)).toEqual([]);
});

it('a number of the Overview leads to the list of what it counts', async () => {
  const page = await openConsole(browser, daemon, '/ui');
  const figures = page.locator('.figure-line').first();
  for (const [name, count] of [
    [/servers working$/, () => page.getByRole('table', { name: 'Servers' }).locator('[data-row]')],
    [/waiting for approval$/, () => page.getByRole('main').getByRole('listitem').filter({ hasText: 'wants to run' })],
    [/calls since the start$/, () => page.getByRole('table', { name: /^Audit records/ }).locator('[data-row]')],
  ] as const) {
    await page.goto(`${daemon.url}/ui`);
    const link = figures.getByRole('link', { name });
    const counted = Number(/(\d+) \D*$/.exec(await link.innerText())?.[1]);
    await link.click();
    await eventually(async () => expect(await count().count()).toBe(counted));
  }
});
