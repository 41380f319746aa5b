// Numbers that a double cannot hold, in the web console: what a person reads, edits and sends has every digit.
import type { Browser } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { openConsole } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';

let upstream: Scripted;
let daemon: Daemon;
let browser: Browser;

beforeAll(async () => {
  upstream = scripted({ tools: [tool('remove'), tool('free')] });
  daemon = await startDaemon({
    mcpServers: { desk: upstream.server },
    policy: { requireApproval: ['desk.remove'] },
  });
  browser = await openBrowser();
  await daemon.connected();
});

it('another last digit is an edit, and is what runs', async () => {
  const held = await fetch(`${daemon.url}/v1/tools/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"capability_id":"desk.remove","args":{"id":1098765432109876543,"far":1e400}}',
  });
  const id = held.headers.get('location')?.split('/').at(-1) ?? '';
  const page = await openConsole(browser, daemon, `/ui/approvals?id=${id}`);
  const editor = page.getByLabel('Arguments', { exact: true });
  const text = await editor.inputValue();
  expect(text).toBe('{\n  "id": 1098765432109876543,\n  "far": 1e400\n}');
  await editor.fill(text.replace('876543,', '876544,'));
  const changes = page.getByRole('figure', { name: 'Your changes' });
  await changes.getByText('"id": 1098765432109876544').waitFor();
  await page.getByLabel('Your name').fill('Ann');
  await page.getByRole('button', { name: 'Approve with these changes' }).click();
  await page.getByRole('heading', { name: 'Outcome of the call' }).waitFor();
  expect(upstream.lines()).toContain('"arguments":{"id":1098765432109876544,"far":1e400}');
  const decided = page.getByRole('figure', { name: 'Arguments, before and after' });
  await decided.getByText('"id": 1098765432109876543').waitFor();
  await decided.getByText('"id": 1098765432109876544').waitFor();
});

it('a run with arguments as JSON sends them as they were typed', async () => {
  const page = await openConsole(browser, daemon, '/ui/catalog?kind=tools&id=desk.free');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByLabel('Arguments', { exact: true }).fill('{"id": 2098765432109876543, "n": 1.0}');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Done', { exact: true }).waitFor();
  expect(upstream.lines()).toContain('"arguments":{"id":2098765432109876543,"n":1.0}');
});
