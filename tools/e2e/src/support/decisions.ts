// Actions of a person on a list of decisions in the console.
import type { Page } from 'playwright-core';

/** Takes the pointer and the focus out of the list, which then shows what is there now. */
export async function leaveList(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).click();
}

/** Presses count once the rows have kept their places for half a second: counted in frames of the page. */
export async function listSettled(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => { const from = performance.now(); const step = () => performance.now() - from > 600 ? done() : requestAnimationFrame(step); step(); })',
  );
}
