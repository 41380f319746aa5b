// The web console as it is served, and every page of it opened: without errors, light and dark, and accessible.
import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { firstPaintOf, keepScreenshot, openConsole, overflowOf, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { tempFolder } from './support/cleanup.js';
import { consolePages } from './support/console-pages.js';
import { type Daemon, repository, startDaemon } from './support/daemon.js';
import { dead, fixture } from './support/upstreams.js';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

let daemon: Daemon;
let browser: Browser;

const config = {
  mcpServers: { files: fixture(), notes: fixture(), broken: dead },
  capabilityAliases: { ping: { target: 'files.null_call', passthrough: true } },
  profiles: { reading: { servers: ['notes'], description: 'Only what is read' } },
  policy: { deny: ['*.delete*'], requireApproval: ['notes.echo'] },
};

beforeAll(async () => {
  const home = tempFolder();
  cpSync(join(repository, 'packages/io/config-host/src/ai-clients/testing/homes/linux'), home, { recursive: true });
  const env = { HOME: home, XDG_CONFIG_HOME: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' };
  [daemon, browser] = await Promise.all([startDaemon(config, { env }), openBrowser()]);
  await daemon.connected('files', 'notes');
  for (let calls = 0; calls < 5; calls += 1) await daemon.call('files.null_call');
});

describe('the web console', () => {
  it('is served at / and /ui and below, and keeps to itself [web-ui-served]', async () => {
    for (const path of ['/', '/ui', '/ui/', '/ui/servers', '/ui/no/such/page']) {
      const { status, headers, text } = await daemon.get(path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(headers).toMatchObject({
        'content-security-policy': policy,
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      });
      expect(text).toContain('<div id="app">');
      const again = await daemon.get(path, { 'if-none-match': headers.etag ?? '' });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });

  it('has files with names of their own, that never change', async () => {
    const { text } = await daemon.get('/ui');
    const script = /src="(\/ui\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? '';
    const { status, headers } = await daemon.get(script);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    const packed = await fetch(`${daemon.url}${script}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const plain = await daemon.get(script);
    expect(await packed.text()).toBe(plain.text);
    console.log(`web console: ${(packedBytes() / 1024).toFixed(1)} KB gzipped, all pages together`);
  });

  it.each(['/ui/assets/gone.js', '/ui/../package.json', '/ui/%2e%2e/package.json', '/ui/licenses.md.js', '/uix', '/x'])(
    'has nothing at %s',
    async (path) => {
      const { status, body } = await daemon.get<{ readonly error?: { readonly code: string } }>(path);
      expect([status, body?.error?.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    },
  );
});

describe.each(['light', 'dark'] as const)('in %s', (theme) => {
  it.each(consolePages)('%s is shown without errors and is accessible', async (name, path, title) => {
    const page = await openConsole(browser, daemon, path, { theme });
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.title()).toBe(`${title} · Portico`);
    // by its name: a count may be added to the text when it arrives
    const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title });
    expect(await entry.getAttribute('aria-current')).toBe('page');
    await expectLoaded(page);
    expect(await violationsOn(page)).toEqual([]);
    if (name === 'overview') await expectCharts(page);
    await keepScreenshot(page, `${name}-${theme}`);
    if (name === 'overview')
      console.log(`web console: first contentful paint ${Math.round(await firstPaintOf(page))} ms`);
  });
});

it.each(consolePages)('%s fits a phone', async (name, path, title) => {
  const page = await openConsole(browser, daemon, path, { isPhone: true });
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  await expectLoaded(page);
  expect(await overflowOf(page)).toBe(0);
  expect(await violationsOn(page)).toEqual([]);
  if (name === 'overview') await keepScreenshot(page, `${name}-phone`);
});

function packedBytes(): number {
  const built = join(repository, 'packages/facade/web-ui/dist/app');
  const packed = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.gz'));
  return packed.reduce((sum, name) => sum + statSync(join(built, name)).size, 0);
}

/** Nothing is being loaded any more, and nothing has failed. */
async function expectLoaded(page: Page): Promise<void> {
  await page.locator('.spinner').first().waitFor({ state: 'detached' });
  expect(await page.locator('.problem').allInnerTexts()).toEqual([]);
}

/** The charts show what was called before the page was opened. */
async function expectCharts(page: Page): Promise<void> {
  await page.locator('.chart-bar').first().waitFor();
  await page.locator('.chart-line[d^=M]').first().waitFor({ state: 'attached' });
}
