// Changes in the console: servers by keyboard alone, one rule of the policy, the file of an AI client. A
// refused change says so beside its field and loses nothing; names given by others are shown as text.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { keepScreenshot, openConsole, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, repository, startDaemon } from './support/daemon.js';
import { fixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const { command, args } = fixture();
const hostileAlias = '<img src=x onerror=alert(1)>\u202Etxt.exe';
const loud = "process.stderr.write('<b>bold</b> \\u202Etxt\\u001b[31m red\\n'); setInterval(() => {}, 1000)";

const config = `{
  // servers of this test
  "mcpServers": {
    "files": { "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(args)}, "env": { "API_KEY": "planted" } },
    "loud": { "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(['-e', loud])} }
  },
  "capabilityAliases": { ${JSON.stringify(hostileAlias)}: "files.null_call" },
  "policy": {
    // what nobody may do
    "deny": [
      "files.delete*", // never
      /* payments */ "pay.*",
      "web.post"
    ],
    "requireApproval": ["files.gated"]
  }
}
`;

let daemon: Daemon;
let browser: Browser;
let home: string;
let configFile: string;

beforeAll(async () => {
  home = tempFolder();
  cpSync(join(repository, 'packages/io/config-host/src/ai-clients/testing/homes/linux'), home, { recursive: true });
  const env = { HOME: home, XDG_CONFIG_HOME: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' };
  [daemon, browser] = await Promise.all([startDaemon(config, { env }), openBrowser()]);
  await daemon.connected('files');
  configFile = (await daemon.get<{ readonly config_path: string }>('/v1/config')).body.config_path;
});

const open = (path: string, refusals: readonly number[] = []) => openConsole(browser, daemon, path, { refusals });
const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const file = () => readFileSync(configFile, 'utf8');

describe('a server', () => {
  it('is added by keyboard alone; a refusal stands beside its field and keeps what was typed', async () => {
    const page = await open('/ui/servers', [400]);
    const { keyboard } = page;
    await page.getByText('connected', { exact: true }).waitFor();
    await keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to content');
    await keyboard.press('Enter');
    await keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Add a server');
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add a server' });
    await dialog.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await keepScreenshot(page, 'server-add-light');
    expect(await page.locator(':focus').getAttribute('id')).toBe(await dialog.getByLabel('Name').getAttribute('id'));
    await keyboard.type('not.allowed');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.type(command);
    await keyboard.press('Tab');
    await keyboard.insertText(args.join('\n'));
    await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    const name = dialog.getByLabel('Name');
    const wrong = dialog.locator('.field-error');
    await wrong.waitFor();
    expect(await wrong.innerText()).toContain('must be 1 to 64 of A-Z a-z 0-9 _ -');
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await name.getAttribute('aria-describedby')).toContain(await wrong.getAttribute('id'));
    expect([await name.inputValue(), await dialog.getByLabel('Arguments').inputValue()]).toEqual([
      'not.allowed',
      args.join('\n'),
    ]);
    await keyboard.press('Shift+Tab');
    await keyboard.press('Shift+Tab');
    await keyboard.press('ControlOrMeta+A');
    await keyboard.type('added');
    await keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await said(page, 'added is saved');
    await daemon.connected('added');
    await page
      .getByRole('row', { name: /^added/ })
      .getByText('connected')
      .waitFor();
    expect(await page.locator(':focus').innerText()).toBe('Add a server');
  });

  it('is edited without its secret being seen or lost, and only what was changed is written', async () => {
    const before = file();
    const page = await open('/ui/servers');
    await page.getByRole('button', { name: 'Edit files' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit files' });
    expect(await dialog.getByLabel('Environment').inputValue()).toBe('API_KEY=********');
    await dialog.getByLabel('Environment').fill('API_KEY=********\nMODE=quick');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await said(page, 'files is saved');
    expect(file()).toBe(before.replace('"API_KEY": "planted"', '"API_KEY": "planted", "MODE": "quick"'));
  });

  it('shows its logs as text, and is removed after a question', async () => {
    const page = await open('/ui/servers');
    await page.getByRole('button', { name: 'Logs loud' }).click();
    const logs = page.getByRole('dialog', { name: 'Logs of loud' });
    await logs.getByText('<b>bold</b> <U+202E>txt<U+001B>[31m red').first().waitFor();
    expect(await logs.locator('b').count()).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove loud' }).click();
    const question = page.getByRole('dialog', { name: 'Remove loud?' });
    expect(await violationsOn(page)).toEqual([]);
    await question.getByRole('button', { name: 'Remove' }).click();
    await said(page, 'loud is removed');
    await question.waitFor({ state: 'detached' });
    expect(Object.keys(JSON.parse(file().replace(/\/\/.*|\/\*.*?\*\//g, '')).mcpServers)).not.toContain('loud');
  });
});

describe('the policy', () => {
  it('has one rule changed while the others and all comments stay as they are', async () => {
    const before = file();
    const page = await open('/ui/policy');
    await page.getByRole('button', { name: 'Edit pay.*' }).click();
    await page.getByLabel('Change pay.*').fill('bank.*');
    await page.keyboard.press('Enter');
    await said(page, 'Rule pay.* is now bank.*');
    expect(file()).toBe(before.replace('"pay.*"', '"bank.*"'));
    await page.getByLabel('Add to denied').fill('web.post');
    await page.keyboard.press('Enter');
    await page.getByText('"web.post" is on the list already.').waitFor();
    expect(await page.getByLabel('Add to denied').inputValue()).toBe('web.post');
    await page.getByLabel('Add to denied').fill('web.put');
    await page.keyboard.press('Enter');
    await said(page, 'Rule web.put is added');
    await page.getByRole('button', { name: 'Remove web.put' }).click();
    await said(page, 'Rule web.put is removed');
    expect(file()).toBe(before.replace('"pay.*"', '"bank.*"'));
  });

  it('says what would happen to an id, as the daemon would decide', async () => {
    const page = await open('/ui/policy');
    for (const [id, word] of [
      ['files.null_call', 'Runs'],
      ['files.delete_all', 'Not found'],
      ['files.nothing', 'Not found'],
    ] as const) {
      await page.getByLabel('Id or alias').fill(id);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.locator('.verdict').filter({ hasText: id }).getByText(word, { exact: true }).waitFor();
    }
    expect(await violationsOn(page)).toEqual([]);
  });
});

it('an alias with markup and a direction mark in it is shown as text', async () => {
  const page = await open('/ui/aliases');
  await page.getByText('<img src=x onerror=alert(1)><U+202E>txt.exe').first().waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  await page.getByRole('button', { name: /^Edit <img/ }).click();
  await page.getByRole('dialog').waitFor();
  expect(await violationsOn(page)).toEqual([]);
});

it('a change by another user is shown without a reload', async () => {
  const page = await open('/ui/aliases');
  await page.getByText('Live', { exact: true }).waitFor();
  await daemon.post('/v1/config/alias', { kind: 'tool', alias: 'from_elsewhere', target: 'files.null_call' });
  await page.getByRole('cell', { name: 'from_elsewhere', exact: true }).waitFor();
});

it('a profile is added with the servers that were chosen', async () => {
  const page = await open('/ui/profiles');
  await page.getByRole('button', { name: 'Add a profile' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('reading');
  await dialog.getByLabel('files').check();
  expect(await violationsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add profile' }).click();
  await said(page, 'Profile reading is saved');
  const { body } = await daemon.get<{ readonly profiles: object }>('/v1/config');
  expect(body.profiles).toEqual({ reading: { servers: ['files'], description: null } });
});

it('a number of AI clients leads to the clients that it counts', async () => {
  const page = await open('/ui/clients');
  const figures = page.locator('.figure-line');
  const rows = page.getByRole('table', { name: 'AI clients' }).locator('[data-row]');
  for (const name of [/found on this machine$/, /^All that are known/]) {
    const link = figures.getByRole('link', { name });
    const counted = Number(/\d+/.exec(await link.innerText())?.[0]);
    await link.click();
    await eventually(async () => expect(await rows.count()).toBe(counted));
  }
  await figures.getByRole('link', { name: '0 go through Portico' }).click();
  await page.getByText('There is no such client.').waitFor();
});

it('an AI client is attached after its change was shown, the change is undone, and it is detached again', async () => {
  const zed = join(home, '.config/zed/settings.json');
  const before = readFileSync(zed, 'utf8');
  const page = await open('/ui/clients');
  await page.getByRole('button', { name: 'Attach Zed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Attach to Zed' });
  const added = await dialog.locator('.change-part.is-added pre').innerText();
  expect(await dialog.locator('.change-part.is-removed').count()).toBe(0);
  expect(await violationsOn(page)).toEqual([]);
  await keepScreenshot(page, 'client-attach-light');
  expect(readFileSync(zed, 'utf8')).toBe(before);
  await dialog.getByRole('button', { name: 'Attach' }).click();
  await said(page, 'Portico is attached to Zed');
  const attached = readFileSync(zed, 'utf8');
  expect(attached).toContain(added);
  expect(attached.length).toBe(before.length + added.length);
  await page.getByRole('button', { name: 'Undo the change to Zed' }).click();
  await said(page, 'The file of Zed is as it was before');
  expect(readFileSync(zed, 'utf8')).toBe(before);
  await daemon.post('/v1/clients/zed/attach', {});
  await page.reload();
  await page.getByRole('button', { name: 'Detach Zed' }).click();
  await page.getByRole('dialog').locator('.change-part.is-removed').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Detach' }).click();
  await said(page, 'Portico is detached from Zed');
  expect(readFileSync(zed, 'utf8')).toBe(before);
});
