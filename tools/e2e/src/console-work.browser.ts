// Working in the web console: finding a tool and running it, deciding on calls, and reading what was recorded.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { keepScreenshot, openConsole, overflowOf, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { samplingOf } from './support/sampling.js';
import { asking, fixture, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const sum = tool('add_numbers', {
  description: 'Adds numbers. <b>Not markup</b> and \u202ereversed',
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: 'object',
    properties: {
      a: { type: 'number', description: 'First number' },
      b: { type: 'number' },
      unit: { enum: ['m', 'km'] },
      note: { type: 'string', pattern: '^(a+)+$' },
    },
    required: ['a', 'b'],
  },
});
const choose = tool('choose', {
  inputSchema: {
    type: 'object',
    properties: {
      target: { oneOf: [{ required: ['id'] }, { required: ['name'] }] },
      limits: { type: 'object', additionalProperties: { type: 'integer' } },
      code: { type: 'string', pattern: '^[A-Z]+$' },
    },
    required: ['target'],
  },
});
const remove = tool('remove_files', {
  description: 'Removes files',
  annotations: { destructiveHint: true },
  inputSchema: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } } },
});
const strange = tool('strange', { description: 'No form fits it', inputSchema: { type: 'object', allOf: 7 } });

const otherEntries = {
  resources: [{ uri: 'file:///notes/a b.txt', name: 'notes' }],
  prompts: [{ name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true }] }],
};

let desk: Scripted;
let daemon: Daemon;
let browser: Browser;

beforeAll(async () => {
  desk = scripted({
    tools: [sum, remove, strange, choose],
    ...otherEntries,
  });
  daemon = await startDaemon({
    mcpServers: { desk: desk.server, asks: asking('modern').server, slow: fixture() },
    policy: { requireApproval: ['desk.remove_*'] },
    toolTimeoutMs: 60_000,
  });
  browser = await openBrowser();
  await daemon.connected();
});

const open = (path: string, refusals: readonly number[] = []) => openConsole(browser, daemon, path, { refusals });
const calls = (name: string) =>
  desk
    .received('tools/call')
    .filter(({ params }) => params.name === name)
    .map(({ params }) => params.arguments);
const toolPath = (id: string) => `/ui/catalog?${new URLSearchParams({ kind: 'tools', id })}`;

/** Whether a long argument before it has not pushed it out of sight. */
async function insideOfWindow(page: Page, text: string): Promise<void> {
  const box = await page.getByText(text, { exact: true }).boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
}

async function done(page: Page): Promise<void> {
  await page.getByText('Done', { exact: true }).waitFor();
}

describe('the catalog', () => {
  it('finds tools as one types and says why each was found', async () => {
    const page = await open('/ui/catalog');
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('remove fil');
    const row = page.getByRole('row', { name: /desk\.remove_files/ });
    await row.getByText('its words match').waitFor();
    await keepScreenshot(page, 'catalog-search');
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('zzzz');
    await page.getByText('Nothing fits these words.').waitFor();
  });

  it('runs a tool by a form made from its schema, and shows what it brought', async () => {
    const page = await open('/ui/catalog');
    await page.getByRole('link', { name: 'desk.add_numbers' }).click();
    await page.getByText('<b>Not markup</b>').waitFor();
    await page.getByText('<U+202E>').waitFor();
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await page.getByLabel('a (required)').fill('2');
    await run.click();
    await page.getByText('is required').first().waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(calls('add_numbers')).toEqual([]);
    expect(await page.getByLabel('a (required)').inputValue()).toBe('2');
    await page.getByLabel('b (required)').fill('40');
    await run.click();
    await done(page);
    expect(calls('add_numbers')).toEqual([{ a: 2, b: 40 }]);
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(JSON.parse(await page.getByLabel('Arguments', { exact: true }).inputValue())).toEqual({ a: 2, b: 40 });
    await page.getByRole('tab', { name: 'Envelope' }).click();
    await page.getByText('"upstream_execution_state": "completed"').waitFor();
    await keepScreenshot(page, 'catalog-run');
    expect(await violationsOn(page)).toEqual([]);
  });

  it('shortens a result, and says beside the fields what cannot be sent', async () => {
    const page = await open(toolPath('desk.add_numbers'), [400]);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const args = page.getByLabel('Arguments', { exact: true });
    await args.fill('{"a": 1, "b": ');
    await page.getByText('Not a JSON object').waitFor();
    await args.fill('{"a": 1, "b": "x"}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('INVALID_ARGS', { exact: true }).waitFor();
    expect(await args.inputValue()).toBe('{"a": 1, "b": "x"}');
    await args.fill('{"a": 1, "b": 2}');
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel('JSONPath').fill('$.content[0].text');
    await page.getByLabel('Lines at most').fill('none');
    await page.getByText('Expected a whole number above 0.').waitFor();
    await page.getByLabel('Lines at most').fill('');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await done(page);
    await page.getByRole('figure', { name: 'Data' }).waitFor();
  });

  it('says what keeps a form from being sent, also where no field shows it, and what the service says of a field', async () => {
    const page = await open(toolPath('desk.choose'), [400]);
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await run.click();
    await page.getByText('target: is required').waitFor();
    expect(calls('choose')).toEqual([]);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const args = page.getByLabel('Arguments', { exact: true });
    await args.fill('{"target": {"id": 1}, ');
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByText('correct it first').waitFor();
    expect(await args.inputValue()).toBe('{"target": {"id": 1}, ');
    await args.fill('{"target": {"id": 1}, "code": "low", "limits": {"a": 1}}');
    await page.getByRole('tab', { name: 'Form' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('b');
    await name.blur();
    await run.click();
    await page.locator('.field', { hasText: 'code' }).getByText('must match').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByLabel('code').fill('HIGH');
    await run.click();
    await done(page);
    expect(calls('choose')).toEqual([{ target: { id: 1 }, code: 'HIGH', limits: { b: 1 } }]);
  });

  it('goes on without a form where none can be made', async () => {
    const page = await open(toolPath('desk.strange'));
    await page.getByText('No form can be made from the schema of this tool').waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await done(page);
  });

  it('cancels a run at the server', async () => {
    const page = await open(toolPath('slow.sleep'), [499]);
    await page.getByLabel('ms (required)').fill('60000');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await eventually(async () => expect(await daemon.server('slow')).toMatchObject({ running: 1 }));
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('OPERATION_CANCELLED', { exact: true }).waitFor();
    expect(await daemon.server('slow')).toMatchObject({ running: 0 });
  });

  it('hands questions of a server to the person, and the answers back', async () => {
    const page = await open(toolPath('asks.ask'));
    await page.getByRole('tab', { name: 'JSON' }).click();
    const schema = { type: 'object', properties: { name: { type: 'string', title: 'Your name' } }, required: ['name'] };
    const args = { method: 'elicitation/create', params: { message: 'Who are you?', requestedSchema: schema } };
    await page.getByLabel('Arguments', { exact: true }).fill(JSON.stringify(args));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Who are you?', { exact: true }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByLabel('Your name (required)').fill('Ann');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await done(page);
    await page.getByRole('tab', { name: 'Structured' }).click();
    await page.getByText('"name": "Ann"').waitFor();
  });

  it('reads resources and gets prompts', async () => {
    const page = await open('/ui/catalog?kind=resources');
    await page.getByRole('link', { name: /notes\/a b\.txt/ }).click();
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await done(page);
    await page.goto(`${daemon.url}/ui/catalog?kind=prompts`);
    await page.getByRole('link', { name: 'desk.greet' }).click();
    await page.getByLabel('who (required)').fill('Ann');
    await page.getByRole('button', { name: 'Get', exact: true }).click();
    await done(page);
    expect(desk.received('prompts/get')[0]?.params.arguments).toEqual({ who: 'Ann' });
  });
});

it('a batch is built step by step, and a step that cannot be sent says why', async () => {
  const page = await open('/ui/batch');
  await page.getByRole('button', { name: 'Run 1 step' }).click();
  await page.getByText('Choose a tool.').waitFor();
  await page.getByLabel('Tool').fill('desk.add_numbers');
  await page.getByLabel('Arguments').fill('{"a": 1, "b": 2}');
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByLabel('Tool').nth(1).fill('desk.nothing');
  await page.getByRole('button', { name: 'Run 2 steps' }).click();
  await page.getByText('Not all steps are done').waitFor();
  await page.getByText(/TOOL_NOT_FOUND/).waitFor();
  await page.getByRole('figure', { name: 'Data of step1' }).waitFor();
  await keepScreenshot(page, 'batch-result');
  expect(await violationsOn(page)).toEqual([]);
});

it('a call that waits is approved with edited arguments, its record is found, and the chain holds', async () => {
  const caller = await open(toolPath('desk.remove_files'));
  await caller.getByRole('tab', { name: 'JSON' }).click();
  await caller.getByLabel('Arguments', { exact: true }).fill('{"names": ["a.txt", "b.txt"]}');
  await caller.getByRole('button', { name: 'Run', exact: true }).click();
  await caller.getByText('This call needs an approval').waitFor();
  const ticketId = await caller.getByRole('link', { name: /^appr-/ }).innerText();

  const page = await open('/ui/approvals');
  await page.getByRole('link', { name: 'Approvals' }).getByText('1').waitFor();
  await page.getByRole('link', { name: /wants to run desk\.remove_files/ }).click();
  await page.getByText(ticketId, { exact: true }).waitFor();
  await page.getByText(/left$/).waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('Say who decides.').waitFor();
  await page.getByLabel('Arguments', { exact: true }).fill('{"names": ["a.txt"]}');
  await page.getByLabel('Your name').fill('Ann');
  await page.getByRole('figure', { name: 'Your changes' }).waitFor();
  await keepScreenshot(page, 'approval-diff', true);
  expect(await violationsOn(page)).toEqual([]);
  expect(calls('remove_files')).toEqual([]);
  await page.getByRole('button', { name: 'Approve with these changes' }).click();
  await page.getByRole('heading', { name: 'Outcome of the call' }).waitFor();
  expect(calls('remove_files')).toEqual([{ names: ['a.txt'] }]);
  await page
    .getByText(/b\.txt/)
    .first()
    .waitFor();

  await page.getByRole('link', { name: 'Its records in the audit log' }).click();
  const row = page.getByRole('row', { name: /called desk\.remove_files/ });
  await row
    .first()
    .getByRole('link', { name: /^Why\?/ })
    .click();
  const panel = page.getByRole('complementary');
  await panel.getByText('Proof', { exact: false }).click();
  await panel.getByText(`"approval_id": "${ticketId}"`).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Verify the chain' }).click();
  await page.getByText('Valid', { exact: true }).waitFor();
  await keepScreenshot(page, 'audit-verified');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('portico-audit.csv');
});

it('a ticket that another user decided on says so, and keeps the typed text', async () => {
  const held = await daemon.call('desk.remove_files', { names: ['c'] });
  const id = held.headers.location?.split('/').at(-1) ?? '';
  const page = await open(`/ui/approvals?id=${id}`, [409]);
  await page.getByLabel('Your name').fill('Bob');
  await page.getByLabel('Reason').fill('not today');
  await page.getByLabel('Reason').press('Enter');
  const { body } = await daemon.get<{ readonly approval: { readonly status: object } }>(`/v1/approvals/${id}`);
  expect(body.approval.status).toEqual({ status: 'pending' });
  await page.route('**/v1/approvals/**', async (route) => {
    if (route.request().method() === 'POST') await daemon.post(`/v1/approvals/${id}/approve`, { operator: 'Ann' });
    await route.fallback();
  });
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText('approved', { exact: true }).waitFor();
  await page.getByText('Ann', { exact: true }).waitFor();
});

it('a ticket that hides shows every key, its escapes in the editor too, and what of it changed while it was open', async () => {
  const names = ['\u202egnp.exe', `x${' '.repeat(400)}y`, 'z'.repeat(25_000)];
  const args = { names, note: 'a'.repeat(300), 'to\u200b': 'bob', to: 'mallory' };
  const held = await daemon.call('desk.remove_files', args);
  const id = held.headers.location?.split('/').at(-1) ?? '';
  const page = await open(`/ui/approvals?id=${id}`);
  await page.getByText('"to\\u{200b}": "bob"').waitFor();
  for (const line of ['to: "mallory"', '"to\\u{200b}": "bob"']) await insideOfWindow(page, line);
  await page.getByText('\\u{20 × 400}').waitFor();
  await page.getByText('Not all of it is shown here').waitFor();
  const editor = page.getByLabel('Arguments', { exact: true });
  expect(await editor.inputValue()).toContain('"\\u202egnp.exe"');
  expect(JSON.parse(await editor.inputValue())).toEqual(args);
  await keepScreenshot(page, 'approval-hiding', true);
  expect([await violationsOn(page), await overflowOf(page)]).toEqual([[], 0]);

  const approve = page.getByRole('button', { name: 'Approve', exact: true });
  await page.getByLabel('Your name').fill('Ann');
  desk.define({ tools: [sum, { ...remove, description: 'Removes everything' }, strange, choose], ...otherEntries });
  await daemon.post('/v1/config/servers/desk/restart', {});
  await eventually(async () => {
    const { text } = await daemon.get('/v1/capabilities/desk.remove_files');
    expect(text).toContain('Removes everything');
  });
  await daemon.post(`/v1/approvals/${id}/approve`, { operator: 'Bob' }); // 409: asked again
  await page.getByText('The definition changed while this page was open').waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await page.getByText('+ "Removes everything"').waitFor();
  await keepScreenshot(page, 'approval-changed', true);
  expect(await violationsOn(page)).toEqual([]);
  const before = calls('remove_files').length;
  await page.getByRole('button', { name: 'I have read the changes' }).click();
  await approve.click();
  await page.getByText('approved', { exact: true }).waitFor();
  expect(calls('remove_files').slice(before)).toEqual([args]);
});

it('kept answers are found by their keys', async () => {
  await daemon.call('desk.add_numbers', { a: 1, b: 1 }, { idempotency_key: 'console/key 1' });
  const page = await open('/ui/idempotency', [404]);
  await page.getByLabel('Find a key').fill('console/key 1');
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByRole('dialog', { name: 'console/key 1' }).getByText('"replay_count": 0').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Find a key').fill('no such key');
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByText('RESOURCE_NOT_FOUND').waitFor();
  expect(await page.getByLabel('Find a key').inputValue()).toBe('no such key');
});

it('tasks are followed and cancelled, and what servers ask of a model is answered', async () => {
  const caller = await open(toolPath('slow.sleep'));
  await caller.getByLabel('ms (required)').fill('60000');
  await caller.getByText('Options', { exact: true }).click();
  await caller.getByLabel('As a task').check();
  await caller.getByRole('button', { name: 'Run', exact: true }).click();
  await caller.getByText('It goes on as a task').waitFor();
  await caller.getByRole('main').locator('a[href*="/tasks?id="]').click();
  const dialog = caller.getByRole('dialog');
  await dialog.getByText('working', { exact: true }).waitFor();
  expect(await violationsOn(caller)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel the task' }).click();
  await dialog.getByText('cancelled', { exact: true }).first().waitFor();

  const { body } = await samplingOf(daemon).create({ server_id: 'desk' }, { prefer: 'respond-async' });
  const page = await open('/ui/tasks?tab=sampling');
  await page.getByRole('button', { name: `Answer ${body.data.ticket_id}` }).click();
  await page.getByLabel('Message', { exact: true }).fill('four');
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.getByText('completed').first().waitFor();
});

it.each([toolPath('desk.add_numbers'), '/ui/catalog?kind=prompts&id=desk.greet'])('%s fits a phone', async (path) => {
  const page = await openConsole(browser, daemon, path, { isPhone: true });
  await page.getByRole('button', { name: /^(Run|Get)$/ }).waitFor();
  expect(await overflowOf(page)).toBe(0);
  expect(await violationsOn(page)).toEqual([]);
});
