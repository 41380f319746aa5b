// One state behind every way in: what HTTP, the command, the web console and both MCP servers change or run, all show.
import { expect, it } from 'vitest';
import { openConsole } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { porticoAt } from './support/cli.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { argsOf, cliMain, connectClient, placeOf } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

it('is shown alike by all of them, from every origin [overview-shared-core-state]', async () => {
  const upstream = scripted({ tools: [tool('add'), tool('send')] });
  const place = placeOf({
    mcpServers: { s: upstream.server },
    policy: { requireApproval: ['s.send'] },
    mcpHttpServer: { port: 0 },
  });
  const daemon = await startDaemonProcess(undefined, { args: [...argsOf(place), '--port', '0'], stateDir: null });
  await daemon.connected();
  const portico = porticoAt(place);
  const mcpUrl = await eventually(async () => {
    const [, url] = /mcp listening on (\S+)/.exec(daemon.stdout()) ?? [];
    expect(url).toBeDefined();
    return url ?? '';
  });
  const overHttp = await connectClient('modern', { kind: 'http', url: mcpUrl });
  const overPipe = await connectClient('v1', { kind: 'stdio', args: [cliMain, 'mcp-stdio', ...argsOf(place)] });
  const page = await openConsole(await openBrowser(), daemon, '/ui/aliases');

  // The command names it, every daemon has the name.
  expect((await portico(['config', 'alias', 'set', 'plus', 's.add'])).code).toBe(0);
  await page.getByRole('cell', { name: 'plus', exact: true }).waitFor();
  expect(await daemon.ids('capabilities')).toContain('plus');

  // Each face calls it, and a call that waits is decided on elsewhere.
  const call = { name: 'capability_call', arguments: { capability_id: 'plus', args: {} } };
  for (const client of [overHttp, overPipe]) await client.request('tools/call', call);
  await page.goto(`${daemon.url}/ui/catalog?kind=tools&id=plus`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Done', { exact: true }).waitFor();
  const held = await daemon.call('s.send', {});
  const id = held.headers.location?.split('/').at(-1) ?? '';
  await page.goto(`${daemon.url}/ui/approvals?id=${id}`);
  await page.getByLabel('Your name').fill('Ann');
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('heading', { name: 'Outcome of the call' }).waitFor();
  expect((await portico(['approvals', 'show', id])).stdout).toContain('Ann');
  expect(upstream.received('tools/call')).toHaveLength(4);

  // One log has them all.
  const { stdout } = await portico(['audit', 'events', '--type', 'tool_call', '--json']);
  const { events } = JSON.parse(stdout) as { readonly events: readonly { readonly capability_id: string }[] };
  expect(events.map((event) => event.capability_id).sort()).toEqual(['s.add', 's.add', 's.add', 's.send']);
});
