// A list of decisions under the pointer or the focus: rows keep their places, those that left stay without effect, and a
// click that was meant for what was there before decides nothing.
import { listHasMoved } from '@portico/contracts';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { useToast } from '../components/toasts.js';
import { type HoldProps, useHold } from '../data/use-hold.js';
import { type HeldRow, holdRows, keepPositions, mayDecide, type RowPositions } from './held-rows.js';

const lookEveryMs = 100;

interface HeldRows<T> {
  readonly rows: readonly HeldRow<T>[];
  /** For the list, whose children are the rows. */
  readonly listProps: HoldProps<HTMLUListElement> & { onClickCapture(event: MouseEvent): void };
}

export function useHeldRows<T extends { readonly key: string }>(current: readonly T[]): HeldRows<T> {
  const [held, setHeld] = useState<readonly T[] | undefined>(undefined);
  const rows = holdRows(held, current);
  // Rows that came while the list is held keep their places from then on.
  if (held !== undefined && rows.length > held.length) setHeld(rows.map(({ item }) => item));
  const hold = useHold<HTMLUListElement>(
    () => setHeld((before) => before ?? current),
    () => setHeld(undefined),
  );
  const onClickCapture = useClickGuard(hold.ref, rows.length > 0);
  return { rows, listProps: { ...hold, onClickCapture } };
}

/** Stops clicks on buttons of rows that were removed, or that were not under the pointer long enough. */
function useClickGuard(list: HoldProps<HTMLUListElement>['ref'], isShown: boolean) {
  const places = useRef<readonly RowPositions<Element>[]>([]);
  const toast = useToast();
  useEffect(() => {
    if (!isShown) return;
    const look = () => {
      const rows = [...(list.current?.children ?? [])].map((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return { row, top: top + window.scrollY, bottom: bottom + window.scrollY };
      });
      places.current = keepPositions(places.current, { atMs: performance.now(), rows });
    };
    look();
    const timer = setInterval(look, lookEveryMs);
    return () => clearInterval(timer);
  }, [list, isShown]);
  return (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : undefined;
    const row = target?.closest('[data-row]');
    if (!row || !target?.closest('button')) return;
    const isGone = row.hasAttribute('data-gone');
    const press = { row, y: event.clientY + window.scrollY, atMs: performance.now(), count: event.detail };
    if (!isGone && mayDecide(press, places.current)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!isGone && event.detail === 1) toast(listHasMoved);
  };
}
