// The slots of budgets: fixed parts of UTC, the same for every daemon and every reader.
import type { BudgetWindow } from '@portico/contracts';

export interface Slot {
  /** Milliseconds since the Unix epoch. */
  readonly startMs: number;
  /** The first moment behind it; null for the slot that never ends. */
  readonly endMs: number | null;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The Unix epoch was a Thursday. */
const mondayMs = 4 * dayMs;

const always: Slot = Object.freeze({ startMs: 0, endMs: null });

/** The slot of a window that a moment is in. */
export function slotOf(window: BudgetWindow, epochMs: number): Slot {
  switch (window) {
    case 'minute':
      return part(epochMs, minuteMs);
    case 'hour':
      return part(epochMs, hourMs);
    case 'day':
      return part(epochMs, dayMs);
    case 'week':
      return part(epochMs, 7 * dayMs, mondayMs);
    case 'month': {
      const date = new Date(epochMs);
      const startMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
      return { startMs, endMs: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) };
    }
    case 'total':
      return always;
  }
}

/** Computes the slot of a window once, until it has ended or the clock goes back before its start. */
export function createSlots(): typeof slotOf {
  const known = new Map<BudgetWindow, Slot>();
  return (window, epochMs) => {
    const last = known.get(window);
    if (last !== undefined && epochMs >= last.startMs && (last.endMs === null || epochMs < last.endMs)) return last;
    const slot = slotOf(window, epochMs);
    known.set(window, slot);
    return slot;
  };
}

function part(epochMs: number, lengthMs: number, offsetMs = 0): Slot {
  const startMs = Math.floor((epochMs - offsetMs) / lengthMs) * lengthMs + offsetMs;
  return { startMs, endMs: startMs + lengthMs };
}
