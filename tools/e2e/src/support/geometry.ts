// Where things are on a page of the console: controls that lie over one another, and what sticks out at the side.
import type { Page } from 'playwright-core';

/** In the page: pairs of controls whose visible parts overlap by more than a hair. */
const findOverlaps = `(() => {
  const hair = 2;
  const clipOf = (element, rect) => {
    let box = rect; // of one line, where a link goes over several
    box = { left: box.left, top: box.top, right: box.right, bottom: box.bottom };
    for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(parent);
      if (overflowX !== 'visible' || overflowY !== 'visible') {
        const outer = parent.getBoundingClientRect();
        box = { left: Math.max(box.left, outer.left), top: Math.max(box.top, outer.top), right: Math.min(box.right, outer.right), bottom: Math.min(box.bottom, outer.bottom) };
      }
      if (position === 'fixed' || position === 'sticky') return undefined; // lies over the page on purpose
    }
    return box.right - box.left > hair && box.bottom - box.top > hair ? box : undefined;
  };
  const controls = [...document.querySelectorAll('main :is(a, button, input, select, textarea, summary)')]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .flatMap((element) => [...element.getClientRects()].flatMap((rect) => { const box = clipOf(element, rect); return box === undefined ? [] : [{ element, box }]; }))
    .sort((a, b) => a.box.top - b.box.top);
  const found = [];
  const nameOf = ({ element }) => element.tagName.toLowerCase() + ' "' + (element.innerText || element.id || '').slice(0, 40) + '"';
  for (const [at, one] of controls.entries())
    for (const other of controls.slice(at + 1)) {
      if (other.box.top >= one.box.bottom) break;
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (width > hair && height > hair) found.push(nameOf(one) + ' and ' + nameOf(other) + ': ' + Math.round(width) + ' by ' + Math.round(height));
    }
  return found;
})()`;

export function overlapsOn(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(findOverlaps);
}

/** Frames that the browser draws in a second, while the window scrolls by this many pixels in each. */
export function framesOf(page: Page, pixels: number): Promise<number> {
  return page.evaluate<number>(
    `new Promise((done) => { let count = 0; const start = performance.now(); const step = () => { count += 1; window.scrollBy(0, ${pixels}); if (performance.now() - start < 1000) requestAnimationFrame(step); else done(count); }; requestAnimationFrame(step); })`,
  );
}

/** Starts to add up layout shifts without recent input; `layoutShiftOf` reads the sum. */
export function watchLayoutShift(page: Page): Promise<void> {
  return page.evaluate<void>(
    "window.shifted = 0; window.shifts = []; new PerformanceObserver((list) => { for (const { value, hadRecentInput, sources } of list.getEntries()) if (!hadRecentInput) { window.shifted += value; window.shifts.push(...sources.map(({ node }) => node?.outerHTML ?? node?.parentElement?.outerHTML ?? String(node))); } }).observe({ type: 'layout-shift' })",
  );
}

export function layoutShiftOf(page: Page): Promise<{ readonly sum: number; readonly moved: readonly string[] }> {
  return page.evaluate('({ sum: window.shifted, moved: window.shifts })');
}
