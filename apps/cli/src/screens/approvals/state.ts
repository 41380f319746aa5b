// The queue of tickets that wait for a person, and what keys make of it. Only computations.
import type { Answers } from '@portico/client';
import { type JsonObject, listHasMoved } from '@portico/contracts';
import { typeKey } from '../shell/keys.js';

export type Ticket = Answers['listApprovals']['approvals'][number];

export type QueueMode =
  | { readonly kind: 'queue' | 'detail' }
  /** The ticket is named, so that a decision never slips to another one. */
  | {
      readonly kind: 'approve';
      readonly id: string;
      readonly edited: EditedArguments | null;
      /** Digest of the definition that the question is about. */
      readonly definition: string | null;
    }
  | { readonly kind: 'reject'; readonly id: string; readonly reason: string }
  /** The typed text is kept for the next try. */
  | { readonly kind: 'unusable'; readonly id: string; readonly text: string; readonly problem: string };

export interface EditedArguments {
  readonly args: JsonObject;
  readonly text: string;
  /** Lines with `+`, `-` or a space before them. */
  readonly diff: readonly string[];
}

export interface QueueState {
  readonly operator: string;
  /** Pending ones, the first to expire first. */
  readonly tickets: readonly Ticket[];
  /** Outcomes of tickets, the newest first. */
  readonly outcomes: readonly string[];
  readonly selected: string | null;
  /** The selected ticket once it has left the queue: it keeps its place until another one is selected. */
  readonly gone: GoneTicket | null;
  /** When the selection came about without a key, Unix milliseconds; null if a person chose it. */
  readonly selectedAtMs: number | null;
  /** The risk that tools declare, by `riskKeyOf`. */
  readonly risks: ReadonlyMap<string, readonly string[]>;
  /** Said of the last key, until the next one. */
  readonly notice: string | null;
  readonly mode: QueueMode;
  readonly scroll: number;
  readonly lost: string | null;
  /** Time of the last look at the queue, Unix milliseconds. */
  readonly nowMs: number;
}

interface GoneTicket {
  readonly ticket: Ticket;
  /** Its index among the rows. */
  readonly at: number;
}

export interface QueueRow {
  readonly ticket: Ticket;
  readonly isGone: boolean;
}

/** The ticket that a person has chosen on another screen. */
export interface QueueStart {
  readonly id: string;
  readonly ask: 'detail' | 'approve' | 'reject';
}

export type QueueWish =
  | { readonly kind: 'quit' }
  | {
      readonly kind: 'approve';
      readonly id: string;
      readonly args: JsonObject | null;
      readonly definition: string | null;
    }
  | { readonly kind: 'reject'; readonly id: string; readonly reason: string }
  /** `text` is what an earlier try left. */
  | { readonly kind: 'edit'; readonly ticket: Ticket; readonly text: string | null };

export interface Pressed {
  readonly state: QueueState;
  readonly wish?: QueueWish;
}

const keptOutcomes = 20;
/** Within this time a person may still mean what was there before, milliseconds. */
const settleMs = 500;

export function startQueue(operator: string, nowMs: number): QueueState {
  return {
    operator,
    nowMs,
    tickets: [],
    outcomes: [],
    selected: null,
    gone: null,
    selectedAtMs: null,
    risks: new Map(),
    notice: null,
    mode: { kind: 'queue' },
    scroll: 0,
    lost: null,
  };
}

/** The queue with one of its tickets selected, as if its key had been pressed; unchanged if the ticket is not in it. */
export function startAt(state: QueueState, { id, ask }: QueueStart): QueueState {
  if (!state.tickets.some((ticket) => ticket.id === id)) return { ...state, notice: `${id} is decided or has expired` };
  const key = { detail: 'enter', approve: 'a', reject: 'r' }[ask];
  return press({ ...state, selected: id, selectedAtMs: null }, key).state;
}

export function addOutcome(state: QueueState, text: string): QueueState {
  return { ...state, outcomes: [text, ...state.outcomes].slice(0, keptOutcomes) };
}

/**
 * Closes a question about a ticket that left the queue. The selection never passes to another ticket: a ticket that
 * left keeps its row. Without a selection the first one is selected, and keys act on it from the next look on.
 */
export function withTickets(state: QueueState, tickets: readonly Ticket[], nowMs: number): QueueState {
  const ordered = [...tickets].sort((a, b) => a.expires_at - b.expires_at || (a.id < b.id ? -1 : 1));
  const { mode } = state;
  const isOver = 'id' in mode && !ordered.some(({ id }) => id === mode.id);
  const next = { ...state, tickets: ordered, nowMs, lost: null, mode: isOver ? { kind: 'queue' as const } : mode };
  if (ordered.some(({ id }) => id === state.selected)) return { ...next, gone: null };
  const gone = goneOf(state);
  if (gone !== null) return { ...next, gone };
  const first = ordered[0]?.id ?? null;
  return { ...next, gone: null, selected: first, selectedAtMs: first === null ? null : nowMs };
}

function goneOf({ tickets, selected, gone }: QueueState): GoneTicket | null {
  if (gone !== null) return gone;
  const at = tickets.findIndex(({ id }) => id === selected);
  const ticket = tickets[at];
  return ticket === undefined ? null : { ticket, at };
}

/** Removes a decided ticket at once, before the next look at the queue does. */
export function without(state: QueueState, id: string): QueueState {
  return withTickets(
    state,
    state.tickets.filter((ticket) => ticket.id !== id),
    state.nowMs,
  );
}

/** Tickets, including the selected one that left the queue, at its place. */
export function rowsOf({ tickets, gone }: QueueState): readonly QueueRow[] {
  const rows = tickets.map((ticket) => ({ ticket, isGone: false }));
  return gone === null ? rows : rows.toSpliced(gone.at, 0, { ticket: gone.ticket, isGone: true });
}

export function selectedRow(state: QueueState): QueueRow | undefined {
  return rowsOf(state).find(({ ticket }) => ticket.id === state.selected);
}

/** Whether keys act on the selected row: not on one that has just come to be selected by itself. */
export function isSettled({ selectedAtMs, nowMs }: QueueState): boolean {
  return selectedAtMs === null || nowMs - selectedAtMs >= settleMs;
}

/** The definition that a risk is of. */
export function riskKeyOf({ capability_id: capability, view }: Ticket): string {
  return JSON.stringify([capability, view.definition_digest]);
}

export function press(before: QueueState, key: string): Pressed {
  const state = before.notice === null ? before : { ...before, notice: null };
  if (key === 'interrupt') return { state, wish: { kind: 'quit' } };
  const { mode } = state;
  switch (mode.kind) {
    case 'queue':
    case 'detail':
      return pressInQueue(state, key);
    case 'approve':
      if (key === 'y' && isShownWhole(state, mode)) {
        const { id, edited, definition } = mode;
        return { state: toQueue(state), wish: { kind: 'approve', id, args: edited?.args ?? null, definition } };
      }
      if (key === 'e') return editAgain(state, mode.id, mode.edited?.text ?? null);
      return key === 'n' || key === 'escape' ? { state: toQueue(state) } : { state: scrollBy(state, key) };
    case 'reject':
      return pressInReject(state, mode, key);
    case 'unusable':
      if (key === 'e') return editAgain(state, mode.id, mode.text);
      return key === 'escape' || key === 'n' || key === 'q' ? { state: toQueue(state) } : { state };
  }
}

/**
 * Whether the whole change is visible: edited arguments as their difference. A ticket that does not fit is decided
 * elsewhere.
 */
export function isShownWhole(
  { tickets }: QueueState,
  { id, edited }: QueueMode & { readonly kind: 'approve' },
): boolean {
  const view = tickets.find((ticket) => ticket.id === id)?.view;
  return view?.changes_complete === true && (edited !== null || view.arguments.complete);
}

function pressInQueue(state: QueueState, key: string): Pressed {
  const isDetail = state.mode.kind === 'detail';
  switch (key) {
    case 'q':
      return isDetail ? { state: toQueue(state) } : { state, wish: { kind: 'quit' } };
    case 'escape':
      return { state: toQueue(state) };
    case 'up':
    case 'k':
      return { state: isDetail ? scrollBy(state, key) : move(state, -1) };
    case 'down':
    case 'j':
      return { state: isDetail ? scrollBy(state, key) : move(state, 1) };
    case 'page-up':
    case 'page-down':
      return { state: isDetail ? scrollBy(state, key) : state };
    case 'enter':
    case 'a':
    case 'r':
    case 'e':
      return pressOnTicket(state, key);
    default:
      return { state };
  }
}

function pressOnTicket(state: QueueState, key: 'enter' | 'a' | 'r' | 'e'): Pressed {
  const row = selectedRow(state);
  const refuse = (notice: string): Pressed => ({ state: { ...state, notice } });
  if (row === undefined) return { state };
  if (row.isGone) return refuse('it is decided or has expired: j or k selects another one');
  if (!isSettled(state)) return refuse(listHasMoved);
  const { id, view } = row.ticket;
  const ask = (mode: QueueMode): Pressed => ({ state: { ...state, mode, scroll: 0 } });
  switch (key) {
    case 'enter':
      return ask({ kind: 'detail' });
    case 'a':
      return ask({ kind: 'approve', id, edited: null, definition: view.definition_digest });
    case 'r':
      return ask({ kind: 'reject', id, reason: '' });
    case 'e':
      return { state, wish: { kind: 'edit', ticket: row.ticket, text: null } };
  }
}

function pressInReject(state: QueueState, mode: QueueMode & { readonly kind: 'reject' }, key: string): Pressed {
  if (key === 'escape') return { state: toQueue(state) };
  if (key === 'enter')
    return { state: toQueue(state), wish: { kind: 'reject', id: mode.id, reason: mode.reason.trim() } };
  const reason = typeKey(mode.reason, key);
  return { state: reason === undefined ? state : { ...state, mode: { ...mode, reason } } };
}

function editAgain(state: QueueState, id: string, text: string | null): Pressed {
  const ticket = state.tickets.find((each) => each.id === id);
  return ticket === undefined ? { state: toQueue(state) } : { state, wish: { kind: 'edit', ticket, text } };
}

function scrollBy(state: QueueState, key: string): QueueState {
  const by = { up: -1, k: -1, down: 1, j: 1, 'page-up': -10, 'page-down': 10 }[key] ?? 0;
  return { ...state, scroll: Math.max(0, state.scroll + by) };
}

/** The row of a ticket that left the queue disappears with this. */
function move(state: QueueState, by: number): QueueState {
  const rows = rowsOf(state);
  const at = rows.findIndex(({ ticket }) => ticket.id === state.selected);
  const next = rows[Math.min(Math.max(0, at + by), rows.length - 1)];
  if (next === undefined || next.isGone) return state;
  return { ...state, selected: next.ticket.id, gone: null, selectedAtMs: null };
}

export function toQueue(state: QueueState): QueueState {
  return { ...state, mode: { kind: 'queue' }, scroll: 0 };
}
