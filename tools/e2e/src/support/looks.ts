// The looks of a page of the console, one after another in one tab: what it has loaded is the same in each.
import type { Page } from 'playwright-core';
import { overflowOf, phoneWindow, wideWindow } from './browser.js';

export type Look = 'light' | 'dark' | 'phone';

/** Rules of axe whose result can be another one with other colours; those on structure and places are checked in light. */
export const colourRules = ['color-contrast', 'link-in-text-block'];

const looks = [
  ['light', 'light', wideWindow],
  ['dark', 'dark', wideWindow],
  ['phone', 'light', phoneWindow],
] as const;

/** Calls `check` in light, in dark, and as wide as a phone, once the page is drawn so; the page is in light afterwards. */
export async function inEachLook(page: Page, check: (look: Look) => Promise<void>): Promise<void> {
  for (const [look, colorScheme, size] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await drawn(page);
    await check(look);
  }
  await page.setViewportSize(wideWindow);
}

/** Pixels that the page sticks out of a window of 320 px, as an enlargement of 400 % makes it (WCAG 2.2, 1.4.10 Reflow). */
export async function overflowEnlarged(page: Page): Promise<number> {
  await page.setViewportSize({ width: 320, height: 640 });
  await drawn(page);
  const overflow = await overflowOf(page);
  await page.setViewportSize(wideWindow);
  return overflow;
}

/** Two frames: in the first one the page is notified of its new width, after the second one it is rendered for it. */
function drawn(page: Page): Promise<void> {
  return page.evaluate<void>('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');
}
