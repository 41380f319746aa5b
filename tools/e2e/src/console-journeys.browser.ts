// The three questions that people open the console with, from opening to answer, with few interactions: in light, dark and
// on a phone, and by keyboard alone.
import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { type ConsoleOptions, keepScreenshot, openConsole, overflowOf, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { leaveList, listSettled } from './support/decisions.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const drop = tool('drop_table', {
  description: 'Drops a table of the production database, with everything in it.',
  annotations: { destructiveHint: true },
});
const crashing = {
  command: process.execPath,
  args: ['-e', "process.stderr.write('GITHUB_TOKEN is not set\\n'); process.exit(1)"],
  resilience: { maxRestarts: 1 },
};

let flaky: Scripted;
let daemon: Daemon;
let browser: Browser;

beforeAll(async () => {
  flaky = scripted({ tools: [drop, tool('list'), tool('wipe')] });
  daemon = await startDaemon({
    mcpServers: { flaky: flaky.server, github: crashing },
    policy: { requireApproval: ['flaky.drop_*'], deny: ['flaky.wipe'] },
  });
  browser = await openBrowser();
  await daemon.connected('flaky');
  await eventually(async () => expect(await daemon.server('github')).toMatchObject({ given_up: true }));
});

const asClaude = { 'user-agent': 'claude-code/2.1' };
const call = (id: string, args: object) => daemon.post('/v1/tools/call', { capability_id: id, args }, asClaude);
const dropped = () =>
  flaky
    .received('tools/call')
    .filter(({ params }) => params.name === 'drop_table')
    .map(({ params }) => params.arguments);

type Way = 'pointer' | 'keys';

interface Choice {
  /** The control that the person uses in a row. */
  readonly control: RegExp;
  readonly role: 'button' | 'link';
  /** The key that presses it while its row has the focus. */
  readonly key: string;
}

/** Counts what a person does on a page. Going to a row is not counted, by the pointer as by j. */
function personOn(page: Page, way: Way) {
  let interactions = 0;
  return {
    async take(row: Locator, { control, role, key }: Choice): Promise<void> {
      interactions += 1;
      if (way === 'pointer') return row.getByRole(role, { name: control }).first().click();
      await row.waitFor();
      const isThere = async () => (await row.and(page.locator(':focus')).count()) > 0;
      for (let steps = 0; steps < 50 && !(await isThere()); steps += 1) await page.keyboard.press('j');
      await page.keyboard.press(key);
    },
    async type(text: string): Promise<void> {
      interactions += 1;
      await page.keyboard.type(text);
    },
    async press(key: string): Promise<void> {
      interactions += 1;
      await page.keyboard.press(key);
    },
    interactions: () => interactions,
  };
}

const looks: readonly (readonly [string, ConsoleOptions])[] = [
  ['light', {}],
  ['dark', { theme: 'dark' }],
  ['phone', { isPhone: true }],
];
const journeys = looks.flatMap(([look, options]) =>
  (['pointer', 'keys'] as const).map((way) => [look, way, options] as const),
);

/** No violation, nothing wider than the window, and a picture: once for each look. */
async function expectTidy(page: Page, way: Way, picture: string): Promise<void> {
  if (way === 'keys') return;
  expect([await violationsOn(page), await overflowOf(page)]).toEqual([[], 0]);
  await keepScreenshot(page, picture);
}

const approve: Choice = { control: /^Approve/, role: 'button', key: 'a' };

describe.each(journeys)('on a %s screen by %s', (look, way, options) => {
  it('a call that waits is approved with three interactions, the next one with one', async () => {
    const tables = [`${look}_${way}_users`, `${look}_${way}_orders`];
    await call('flaky.drop_table', { table: tables[0] });
    const page = await openConsole(browser, daemon, '/ui', options);
    const person = personOn(page, way);
    const row = page.getByRole('listitem').filter({ hasText: 'claude-code wants to run flaky.drop_table' });
    await row.getByText(`table: "${tables[0]}"`).waitFor();
    await row.getByText('destructive').waitFor();
    await row.getByText('rule flaky.drop_* (require approval)').waitFor();
    await expectTidy(page, way, `overview-needs-${look}`);
    await listSettled(page);
    await person.take(row, approve);
    await page.getByRole('dialog', { name: 'Who decides?' }).waitFor();
    await person.type('ann');
    await person.press('Enter');
    await eventually(() => expect(dropped()).toContainEqual({ table: tables[0] }));
    expect(person.interactions()).toBe(3);
    await leaveList(page);
    await row.waitFor({ state: 'detached' });
    await call('flaky.drop_table', { table: tables[1] });
    await row.waitFor();
    await listSettled(page);
    await person.take(row, approve);
    await eventually(() => expect(dropped()).toContainEqual({ table: tables[1] }));
    expect(person.interactions()).toBe(4);
  });

  it('the reason of a refusal is one interaction away, with the rule and what would change it', async () => {
    await call('flaky.wipe', { all: true });
    const page = await openConsole(browser, daemon, '/ui', options);
    const person = personOn(page, way);
    const row = page.getByRole('row').filter({ hasText: 'called flaky.wipe' }).first();
    await person.take(row, { control: /^Why\? flaky\.wipe/, role: 'link', key: 'w' });
    const panel = page.getByRole('complementary');
    await panel.getByRole('heading', { name: 'claude-code called flaky.wipe' }).waitFor();
    await panel.getByText('stopped', { exact: true }).waitFor();
    await panel.getByText('the deny rule "flaky.wipe" covers "flaky.wipe"').first().waitFor();
    await panel
      .getByText(/portico config policy remove/)
      .first()
      .waitFor();
    expect(person.interactions()).toBeLessThanOrEqual(2);
    expect(new URL(page.url()).searchParams.get('why')).toMatch(/^aud-/);
    await expectTidy(page, way, `why-${look}`);
    const address = page.url();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.goto(address); // the panel has an address of its own
    await panel.getByText('stopped', { exact: true }).waitFor();
  });

  it('the reason of a crash is on the first page, and its log one interaction away', async () => {
    const page = await openConsole(browser, daemon, '/ui', options);
    const person = personOn(page, way);
    const row = page.getByRole('listitem').filter({ hasText: 'Server github crashed' });
    await row.getByText(/GITHUB_TOKEN is not set/).waitFor();
    await person.take(row, { control: /Server github crashed/, role: 'link', key: 'Enter' });
    await page.getByRole('heading', { level: 1, name: 'github' }).waitFor();
    await page.getByText('Read its last lines below').waitFor();
    await page
      .getByRole('region', { name: 'Log lines of github' })
      .getByText('GITHUB_TOKEN is not set')
      .first()
      .waitFor();
    expect(person.interactions()).toBeLessThanOrEqual(2);
    expect(new URL(page.url()).pathname).toBe('/ui/servers/github');
    await expectTidy(page, way, `server-${look}`);
  });
});

describe('by keyboard alone', () => {
  const focused = (page: Page) => page.locator(':focus');
  const isAt = (path: string, place: string | RegExp) =>
    typeof place === 'string' ? path === place : place.test(path);

  it('j and k move over the rows, a approves the one with the focus, and ? lists the keys', async () => {
    const first = await openTicket(daemon, 'flaky.drop_table', { table: 'one' });
    await openTicket(daemon, 'flaky.drop_table', { table: 'two' });
    const page = await openConsole(browser, daemon, '/ui/approvals');
    const { keyboard } = page;
    await page.getByText('table: "two"').waitFor();
    await keyboard.press('j');
    await keyboard.press('j');
    expect(await focused(page).innerText()).toContain('table: "two"');
    await keyboard.press('k');
    expect(await focused(page).innerText()).toContain('table: "one"');
    await keyboard.press('Shift+?');
    const help = page.getByRole('dialog', { name: 'Keyboard' });
    await help.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    expect(await focused(page).innerText()).toContain('table: "one"');
    await keyboard.press('a');
    await page.getByRole('dialog', { name: 'Who decides?' }).waitFor();
    await keyboard.type('ann');
    await keyboard.press('Enter');
    await eventually(() => expect(dropped()).toContainEqual({ table: 'one' }));
    await page.getByText('decided', { exact: true }).waitFor();
    expect(await focused(page).innerText()).toContain('table: "one"');
    await keyboard.press('j');
    await keyboard.press('r');
    await page.getByRole('heading', { name: 'Waiting (0)' }).waitFor();
    await leaveList(page);
    await page.getByText('Nothing waits for a decision.').waitFor();
    expect(dropped()).not.toContainEqual({ table: 'two' });
    const { body } = await daemon.get<{ readonly approval: { readonly status: object } }>(`/v1/approvals/${first}`);
    expect(body.approval.status).toMatchObject({ status: 'approved', operator: 'ann' });
  });

  it('letters do nothing in a field, and nowhere once they are switched off', async () => {
    const page = await openConsole(browser, daemon, '/ui/audit');
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.keyboard.type('jkar?');
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('jkar?');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Shift+?');
    await page.getByLabel('Single letters are shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+?');
    await page.keyboard.press('j');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.locator('[data-row]:focus').count()).toBe(0);
  });

  it('Ctrl-K finds pages, servers, tools, tickets and calls, does what an action says, and explains an id', async () => {
    const id = await openTicket(daemon, 'flaky.drop_table', { table: 'palette' });
    await call('flaky.wipe', { all: true });
    const page = await openConsole(browser, daemon, '/ui/settings');
    const { keyboard } = page;
    const palette = page.getByRole('dialog', { name: 'Search or jump' });
    for (const [words, kind, place] of [
      ['aud', 'Page', '/ui/audit'],
      ['github', 'Server', '/ui/servers/github'],
      ['drop', 'Ticket', `/ui/approvals?id=${id}`],
      ['wip', 'Call', /^\/ui\/\?why=aud-/], // policy hides the tool, and not the calls of it
      ['nothing like it', undefined, undefined],
      ['reload', 'Action', 'The configuration is read again'],
      ['list', 'Tool', '/ui/catalog?kind=tools&id=flaky.list'],
      [id, 'Explain', `/ui/?why=${id}`],
    ] as const) {
      await keyboard.press('ControlOrMeta+K');
      await palette.getByRole('option').first().waitFor();
      await keyboard.type(words);
      if (kind === undefined) {
        await palette.getByText('Nothing fits.').waitFor();
        await keyboard.press('Escape');
        continue;
      }
      await palette.getByRole('option', { selected: true }).filter({ hasText: kind }).waitFor();
      if (kind === 'Ticket') expect(await violationsOn(page)).toEqual([]);
      if (kind === 'Ticket') await keepScreenshot(page, 'palette-light');
      await keyboard.press('Enter');
      if (kind === 'Action') await page.getByRole('status').getByText(place).waitFor();
      else await page.waitForURL(({ pathname, search }) => isAt(`${pathname}${search}`, place));
    }
    await page.getByRole('complementary').getByText('waits', { exact: true }).waitFor();
  });
});
