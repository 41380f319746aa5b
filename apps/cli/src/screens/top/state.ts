// The state of `top` and the effect of keys on it. Pure functions: an action is returned as a wish.
import type { RecentCall, ServerLogLine } from '@portico/contracts';
import type { QueueStart } from '../approvals/state.js';
import { rowFrom, rowsOf, type Selectable, selectedRow, type TopRow } from './rows.js';
import type { Sample } from './traffic.js';

export interface Change {
  /** Time of day. */
  readonly at: string;
  readonly text: string;
}

export type TopView =
  | { readonly kind: 'overview' }
  | { readonly kind: 'help' }
  /** `back` counts lines from the end. */
  | { readonly kind: 'logs'; readonly server: string; readonly lines: readonly ServerLogLine[]; readonly back: number }
  /** `from` counts lines from the start. */
  | { readonly kind: 'why'; readonly id: string; readonly lines: readonly string[] | null; readonly from: number }
  | { readonly kind: 'restart'; readonly server: string };

/** Calls are the last ones, newest first; null if we may not read them. */
export interface TopState extends Selectable {
  readonly url: string;
  readonly changes: readonly Change[];
  readonly view: TopView;
  readonly notice: string | null;
  /** Why no new data arrives; null while the daemon answers. */
  readonly lost: string | null;
  /** Time of the last look, Unix milliseconds. */
  readonly nowMs: number;
}

export type TopLeave = { readonly kind: 'quit' } | { readonly kind: 'approvals'; readonly start?: QueueStart };

export type TopWish =
  | TopLeave
  | { readonly kind: 'restart' | 'logs'; readonly server: string }
  | { readonly kind: 'why'; readonly id: string };

export interface Pressed {
  readonly state: TopState;
  readonly wish?: TopWish;
}

const keptChanges = 50;
/** Calls that are shown. */
export const shownCalls = 10;

/** The server that needs a look first is selected: a ticket is only by a key. */
export function startTop(url: string, first: Sample, calls: readonly RecentCall[] | null, nowMs: number): TopState {
  const state: TopState = {
    url,
    samples: [first],
    calls,
    changes: [],
    view: { kind: 'overview' },
    selected: null,
    notice: null,
    lost: null,
    nowMs,
  };
  return { ...state, selected: rowsOf(state).servers[0]?.key ?? null };
}

export function addChange(state: TopState, change: Change): TopState {
  return { ...state, changes: [change, ...state.changes].slice(0, keptChanges) };
}

export function addCall(state: TopState, call: RecentCall): TopState {
  const others = (state.calls ?? []).filter(({ id }) => id !== call.id);
  return { ...state, calls: [call, ...others].slice(0, shownCalls) };
}

export function press(state: TopState, key: string): Pressed {
  if (key === 'interrupt') return { state, wish: { kind: 'quit' } };
  switch (state.view.kind) {
    case 'overview':
      return pressInOverview(state.notice === null ? state : { ...state, notice: null }, key);
    case 'restart':
      return pressInRestart(state, state.view.server, key);
    case 'help':
      return { state: toOverview(state) };
    case 'logs':
      return pressInLogs(state, state.view, key);
    case 'why':
      return pressInWhy(state, state.view, key);
  }
}

const moves: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  'page-up': -10,
  'page-down': 10,
  g: Number.NEGATIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
};

function pressInOverview(state: TopState, key: string): Pressed {
  const by = moves[key];
  if (by !== undefined) return { state: { ...state, selected: rowFrom(state, by) } };
  const row = selectedRow(state);
  switch (key) {
    case 'q':
      return { state, wish: { kind: 'quit' } };
    case '?':
      return { state: { ...state, view: { kind: 'help' } } };
    case 'a':
      return row?.kind === 'ticket' ? decide(state, row.ticket.id, 'approve') : { state, wish: { kind: 'approvals' } };
    case 'r':
    case 'l':
    case 'enter':
      return row === undefined ? { state: { ...state, notice: 'j or k selects a row first' } } : onRow(state, row, key);
    default:
      return { state };
  }
}

function onRow(state: TopState, row: TopRow, key: 'r' | 'l' | 'enter'): Pressed {
  const notice = (text: string): Pressed => ({ state: { ...state, notice: text } });
  switch (row.kind) {
    case 'ticket':
      return key === 'l' ? { state } : decide(state, row.ticket.id, key === 'r' ? 'reject' : 'detail');
    case 'question':
      return notice(`answer it with: portico tasks respond ${row.task.task_id}`);
    case 'request':
      return notice(`answer it with: portico sampling respond ${row.request.id}`);
    case 'login':
      return notice(`log in with: portico server login ${row.server.id}`);
    case 'held':
      return notice(`review it with: portico lock diff --server ${row.held.id}`);
    case 'lock':
      return notice('see what is wrong with: portico lock verify');
    case 'call':
      return key === 'enter' ? toWhy(state, row.call.id) : { state };
    case 'crash':
    case 'server':
      return key === 'r'
        ? { state: { ...state, view: { kind: 'restart', server: row.server.id } } }
        : toLogs(state, row.server.id);
  }
}

/** The ticket is named, so that a decision is about the one that was selected, and asked about on the next screen. */
function decide(state: TopState, id: string, ask: QueueStart['ask']): Pressed {
  const mayDecide = (state.samples.at(-1)?.counts ?? null) !== null; // the same role as for the metrics
  if (ask === 'detail' || mayDecide) return { state, wish: { kind: 'approvals', start: { id, ask } } };
  return { state: { ...state, notice: 'it waits for an administrator: this role may not decide' } };
}

function toLogs(state: TopState, server: string): Pressed {
  const view: TopView = { kind: 'logs', server, lines: [], back: 0 };
  return { state: { ...state, view }, wish: { kind: 'logs', server } };
}

function toWhy(state: TopState, id: string): Pressed {
  return { state: { ...state, view: { kind: 'why', id, lines: null, from: 0 } }, wish: { kind: 'why', id } };
}

function pressInRestart(state: TopState, server: string, key: string): Pressed {
  if (key === 'y') return { state: toOverview(state), wish: { kind: 'restart', server } };
  return key === 'n' || key === 'escape' || key === 'q' ? { state: toOverview(state) } : { state };
}

function pressInLogs(state: TopState, view: TopView & { readonly kind: 'logs' }, key: string): Pressed {
  const by = moves[key];
  if (by !== undefined)
    return { state: { ...state, view: { ...view, back: within(view.back - by, view.lines.length) } } };
  return key === 'q' || key === 'l' || key === 'escape' ? { state: toOverview(state) } : { state };
}

function pressInWhy(state: TopState, view: TopView & { readonly kind: 'why' }, key: string): Pressed {
  const by = moves[key];
  if (by !== undefined)
    return { state: { ...state, view: { ...view, from: within(view.from + by, view.lines?.length ?? 0) } } };
  return key === 'q' || key === 'enter' || key === 'escape' ? { state: toOverview(state) } : { state };
}

function within(at: number, length: number): number {
  return Math.min(Math.max(0, at), Math.max(0, length - 1));
}

function toOverview(state: TopState): TopState {
  return { ...state, view: { kind: 'overview' } };
}
