// The web console in a browser. Every error in a page fails its test: an error on its console, an exception, a request
// that fails, and one that leaves the daemon.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { onCleanup, testHasFailed } from './cleanup.js';
import { keepLog, keepPicture } from './evidence.js';
import { repository } from './repository.js';
import { eventually } from './wait.js';

export type Theme = 'light' | 'dark';

export interface ConsoleOptions {
  readonly theme?: Theme;
  /** 1280 by 800 unless it is a phone. */
  readonly isPhone?: boolean;
  /** Statuses of refusals that the test brings about. */
  readonly refusals?: readonly number[];
  /** The test stops the daemon: requests that do not reach it are no failure. */
  readonly mayLoseDaemon?: boolean;
  /** Kept for the tab, as if it had been entered. */
  readonly token?: string;
}

/** Pixels of the window of the tests, and of that of a phone. */
export const wideWindow = { width: 1280, height: 800 };
export const phoneWindow = { width: 390, height: 844 };

export const screenshotFolder = join(repository, '.cache/screenshots');
/** Pictures of the documentation. */
const pictureFolder = join(repository, 'docs/images/console');
/** Shorter than that of a test, so that a failure names the step. */
const stepTimeoutMs = 20_000;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A tab at a path of the daemon, `/ui` by default, once the page has its title. */
export async function openConsole(
  browser: Browser,
  { url }: { readonly url: string },
  path = '/ui',
  { theme = 'light', isPhone = false, refusals = [], token, mayLoseDaemon = false }: ConsoleOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    viewport: isPhone ? phoneWindow : wideWindow,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  if (token !== undefined)
    await context.addInitScript(`sessionStorage.setItem('portico.token', ${JSON.stringify(token)})`);
  const page = await context.newPage();
  page.setDefaultTimeout(stepTimeoutMs);
  const problems: string[] = [];
  watch(page, url, { refusals, mayLoseDaemon }, problems);
  keepLog(`page ${path}`, () => problems.join('\n'));
  onCleanup(async () => {
    if (testHasFailed() || problems.length > 0) await keepPictureOf(page);
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(`${url}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

interface Expected {
  readonly refusals: readonly number[];
  readonly mayLoseDaemon: boolean;
}

/** A browser's message about a request that did not reach the daemon, or whose answer broke off. */
const lost =
  /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)/;

function watch(page: Page, url: string, { refusals, mayLoseDaemon }: Expected, problems: string[]): void {
  const isExpected = (text: string) =>
    refusals.some((status) => text.includes(`a status of ${status} `)) || (mayLoseDaemon && lost.test(text));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !isExpected(text))
      problems.push(`console: ${text} ${message.location().url}`.trim());
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) problems.push(`leaves the daemon: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    const isGivenUp = reason === 'net::ERR_ABORTED' || (mayLoseDaemon && lost.test(reason ?? ''));
    if (!isGivenUp) problems.push(`request: ${request.url()} ${reason}`); // the page gave it up
  });
}

const wcag = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/**
 * Violations of WCAG 2.2 AA that axe finds on the page, empty if there are none.
 * @param rules only these, by their ids in axe
 */
export async function violationsOn(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const runOnly = rules === undefined ? { type: 'tag', values: wcag } : { type: 'rule', values: rules };
  const found = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })`,
  );
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  );
}

export interface HeldAnswer {
  /** Resolves when the service has answered and the page has not. */
  readonly held: Promise<void>;
  /** Lets the answer through, unless the page gave the request up. */
  release(): Promise<void>;
}

/** Holds back the first answer to a request for `path` that carries this token, or none. */
export async function holdAnswer(page: Page, path: string, token?: string): Promise<HeldAnswer> {
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  const held = createGate();
  const released = createGate();
  const done = createGate();
  let isFirst = true;
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (!isFirst || route.request().headers().authorization !== authorization) return route.continue();
      isFirst = false;
      const response = await route.fetch();
      held.open();
      await released.opened;
      await route.fulfill({ response }).catch(() => {}); // the page gave the request up
      done.open();
    },
  );
  return {
    held: held.opened,
    release() {
      released.open();
      return done.opened;
    },
  };
}

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The picture of the page, and its console, after a failed test. */
async function keepPictureOf(page: Page): Promise<void> {
  const name = (expect.getState().currentTestName ?? 'page').replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 80);
  const path = `.cache/failures/${name}-${randomUUID().slice(0, 8)}.png`;
  await page.screenshot({ path: join(repository, path), timeout: 5_000 }).then(
    () => keepPicture(path),
    () => {}, // a page that has crashed shows nothing, and its test has failed already
  );
}

/**
 * Keeps a picture under a name, beside the checkout's files rather than among them (`npm run docs:screenshots`), with the
 * text that it shows. A picture of the documentation whose text is kept there has to show the same.
 */
export async function keepScreenshot(page: Page, name: string, isFullPage = false): Promise<void> {
  mkdirSync(screenshotFolder, { recursive: true });
  const keptText = join(pictureFolder, `${name}.txt`);
  if (existsSync(keptText)) await showsText(page, readFileSync(keptText, 'utf8'), name);
  await page.screenshot({ path: join(screenshotFolder, `${name}.png`), animations: 'disabled', fullPage: isFullPage });
  writeFileSync(join(screenshotFolder, `${name}.txt`), await textOfPicture(page));
}

async function showsText(page: Page, kept: string, name: string): Promise<void> {
  const isSame = async () => expect(await textOfPicture(page)).toBe(kept);
  await eventually(isSame, 5_000).catch(() => {}); // parts of the page may still be read
  expect
    .soft(await textOfPicture(page), `docs/images/console/${name}.png is older than the page: npm run docs:screenshots`)
    .toBe(kept);
}

/** Headings, a line each, with numbers as `#`. */
function textOfPicture(page: Page): Promise<string> {
  return page.evaluate<string>(
    "[...document.querySelectorAll('h1, h2')].map((each) => `${each.textContent.replace(/[0-9]+/g, '#').trim()}\\n`).join('')",
  );
}

/** The same in a folder of the checkout: for pictures that are looked at, and not part of the documentation. */
export async function keepPictureIn(folder: string, page: Page, name: string): Promise<void> {
  mkdirSync(join(repository, folder), { recursive: true });
  await page.screenshot({ path: join(repository, folder, `${name}.png`), animations: 'disabled' });
}

/** How far the page is wider than its window, in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Milliseconds from the request of the page to its first text. */
export function firstPaintOf(page: Page): Promise<number> {
  return page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1");
}
