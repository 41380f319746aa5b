// The cost of scrolling a list for a page, by the browser's own counters: processor time of its thread, which does not depend on
// other load of the machine, and the share of it that the browser would need for the same rows without any script of the page.
import type { Page } from 'playwright-core';

/** Averages per frame. */
export interface FrameCost {
  /** Processor milliseconds of the page's thread. */
  readonly ms: number;
  /**
   * Places that scripts read, for which the browser has to lay out the page in the middle of the frame; without one for each
   * change of size around the list, after which it has to be read.
   */
  readonly reads: number;
  /** Elements that were put into the document. */
  readonly added: number;
}

interface Scrolling {
  /** Pixels per frame. */
  readonly pixels: number;
  readonly frames: number;
}

/** Scrolls the window; `step` is a script that runs in each frame as well. */
export async function frameCostOf(page: Page, { pixels, frames }: Scrolling, step = ''): Promise<FrameCost> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return new Map(metrics.map(({ name, value }) => [name, value]));
  };
  const before = await read();
  const [added, reads] = await page.evaluate<readonly [number, number]>(
    `new Promise((done) => {
      let [added, reads, resizes, left] = [0, 0, 0, ${frames}];
      const read = Element.prototype.getBoundingClientRect;
      Element.prototype.getBoundingClientRect = function () { reads += 1; return read.call(this); };
      const seen = new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes) if (node.nodeType === 1) added += 1 + node.getElementsByTagName('*').length;
      });
      seen.observe(document.body, { childList: true, subtree: true });
      const frame = () => {
        if (left === 0) {
          seen.disconnect();
          sized.disconnect();
          Element.prototype.getBoundingClientRect = read;
          return done([added, Math.max(0, reads - resizes)]);
        }
        left -= 1;
        window.scrollBy(0, ${pixels});
        ${step}
        requestAnimationFrame(frame);
      };
      const sized = new ResizeObserver(() => { resizes += 1; });
      for (let each = document.querySelector('main .virtual-body'); each !== null; each = each.parentElement) sized.observe(each);
      // It reports what it observes once at its beginning, after the next frame.
      requestAnimationFrame(() => requestAnimationFrame(() => { [reads, resizes] = [0, 0]; frame(); }));
    })`,
  );
  const after = await read();
  await session.detach();
  const ms = ((after.get('TaskDuration') ?? 0) - (before.get('TaskDuration') ?? 0)) * 1000;
  return { ms: ms / frames, reads: reads / frames, added: added / frames };
}

/** Measures the cost of the rows that the page shows now in a document without scripts, the same number at a time. */
export async function plainCostOf(page: Page, scrolling: Scrolling, rowHeight: number): Promise<FrameCost> {
  const [styles, rows] = await page.evaluate<readonly [string, string]>(
    `[[...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText)).join('\\n'),
      document.querySelector('main .virtual-table').outerHTML]`,
  );
  const plain = await page.context().newPage();
  await plain.setContent(`<style>${styles}</style><main id="main">${rows}</main>`);
  const perFrame = Math.ceil(scrolling.pixels / rowHeight);
  await plain.evaluate("window.group = document.querySelector('.virtual-body [data-row]').parentElement");
  const cost = await frameCostOf(
    plain,
    scrolling,
    `for (let count = 0; count < ${perFrame}; count += 1) { group.append(group.children[0].cloneNode(true)); group.children[0].remove(); }
     group.style.transform = 'translateY(' + window.scrollY + 'px)';`,
  );
  await plain.close();
  return cost;
}
