// The queue of tickets that wait for a person, and what keys make of it. Only computations.
import type { Answers } from '@portico/client';
import type { JsonObject } from '@portico/contracts';
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
  /** What was typed is kept, for the next try. */
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
  readonly mode: QueueMode;
  readonly scroll: number;
  readonly lost: string | null;
  readonly nowSecs: number;
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

export function startQueue(operator: string, nowSecs: number): QueueState {
  return {
    operator,
    nowSecs,
    tickets: [],
    outcomes: [],
    selected: null,
    mode: { kind: 'queue' },
    scroll: 0,
    lost: null,
  };
}

export function addOutcome(state: QueueState, text: string): QueueState {
  return { ...state, outcomes: [text, ...state.outcomes].slice(0, keptOutcomes) };
}

/** A question about a ticket that is gone is over. */
export function withTickets(state: QueueState, tickets: readonly Ticket[], nowSecs: number): QueueState {
  const ordered = [...tickets].sort((a, b) => a.expires_at - b.expires_at || (a.id < b.id ? -1 : 1));
  const { mode } = state;
  const isOver = 'id' in mode && !ordered.some(({ id }) => id === mode.id);
  const isEmpty = ordered.length === 0 && mode.kind === 'detail';
  return { ...state, tickets: ordered, nowSecs, lost: null, mode: isOver || isEmpty ? { kind: 'queue' } : mode };
}

/** A ticket is decided, which the next look at the queue would tell a moment later. */
export function without(state: QueueState, id: string): QueueState {
  return withTickets(
    state,
    state.tickets.filter((ticket) => ticket.id !== id),
    state.nowSecs,
  );
}

export function selectedTicket({ tickets, selected }: QueueState): Ticket | undefined {
  return tickets.find(({ id }) => id === selected) ?? tickets[0];
}

export function press(state: QueueState, key: string): Pressed {
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

/** What was edited is shown as its difference; else a ticket that finds no room here is decided elsewhere. */
export function isShownWhole(
  { tickets }: QueueState,
  { id, edited }: QueueMode & { readonly kind: 'approve' },
): boolean {
  const view = tickets.find((ticket) => ticket.id === id)?.view;
  return view?.changes_complete === true && (edited !== null || view.arguments.complete);
}

function pressInQueue(state: QueueState, key: string): Pressed {
  const ticket = selectedTicket(state);
  const ask = (mode: QueueMode): Pressed => ({ state: { ...state, mode, scroll: 0 } });
  switch (key) {
    case 'q':
      return state.mode.kind === 'detail' ? { state: toQueue(state) } : { state, wish: { kind: 'quit' } };
    case 'escape':
      return { state: toQueue(state) };
    case 'up':
    case 'k':
    case 'down':
    case 'j':
      return {
        state: state.mode.kind === 'detail' ? scrollBy(state, key) : move(state, key === 'up' || key === 'k' ? -1 : 1),
      };
    case 'enter':
      return ticket === undefined ? { state } : ask({ kind: 'detail' });
    case 'a':
      return ticket === undefined
        ? { state }
        : ask({ kind: 'approve', id: ticket.id, edited: null, definition: ticket.view.definition_digest });
    case 'r':
      return ticket === undefined ? { state } : ask({ kind: 'reject', id: ticket.id, reason: '' });
    case 'e':
      return ticket === undefined ? { state } : { state, wish: { kind: 'edit', ticket, text: null } };
    default:
      return { state };
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

function move(state: QueueState, by: number): QueueState {
  const at = state.tickets.findIndex(({ id }) => id === selectedTicket(state)?.id);
  const next = state.tickets[Math.min(Math.max(0, at + by), state.tickets.length - 1)];
  return { ...state, selected: next?.id ?? null };
}

export function toQueue(state: QueueState): QueueState {
  return { ...state, mode: { kind: 'queue' }, scroll: 0 };
}
