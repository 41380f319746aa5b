// What `top` shows and what keys make of it. Only computations: what has to be done is given back as a wish.
import type { ServerLogLine } from '@portico/contracts';
import type { Sample } from './traffic.js';

export interface Change {
  /** Time of day. */
  readonly at: string;
  readonly text: string;
}

export type TopView =
  | { readonly kind: 'servers' }
  | { readonly kind: 'help' }
  /** `back` counts lines from the end. */
  | { readonly kind: 'logs'; readonly server: string; readonly lines: readonly ServerLogLine[]; readonly back: number }
  | { readonly kind: 'restart'; readonly server: string };

export interface TopState {
  readonly url: string;
  readonly samples: readonly Sample[];
  readonly changes: readonly Change[];
  readonly view: TopView;
  readonly selected: string | null;
  readonly notice: string | null;
  /** Why nothing new is heard; null while the daemon answers. */
  readonly lost: string | null;
}

export type TopWish =
  | { readonly kind: 'quit' | 'approvals' }
  | { readonly kind: 'restart' | 'logs'; readonly server: string };

export interface Pressed {
  readonly state: TopState;
  readonly wish?: TopWish;
}

const keptChanges = 50;

export function startTop(url: string, first: Sample): TopState {
  const selected = first.servers[0]?.id ?? null;
  return { url, samples: [first], changes: [], view: { kind: 'servers' }, selected, notice: null, lost: null };
}

export function addChange(state: TopState, change: Change): TopState {
  return { ...state, changes: [change, ...state.changes].slice(0, keptChanges) };
}

export function press(state: TopState, key: string): Pressed {
  if (key === 'interrupt') return { state, wish: { kind: 'quit' } };
  switch (state.view.kind) {
    case 'servers':
      return pressInServers(state, key);
    case 'restart':
      return pressInRestart(state, state.view.server, key);
    case 'help':
      return { state: toServers(state) };
    case 'logs':
      return pressInLogs(state, state.view, key);
  }
}

function pressInServers(state: TopState, key: string): Pressed {
  const server = selectedServer(state);
  switch (key) {
    case 'q':
      return { state, wish: { kind: 'quit' } };
    case 'a':
      return { state, wish: { kind: 'approvals' } };
    case '?':
      return { state: { ...state, view: { kind: 'help' } } };
    case 'up':
    case 'k':
      return { state: move(state, -1) };
    case 'down':
    case 'j':
      return { state: move(state, 1) };
    case 'r':
      return { state: server === null ? state : { ...state, view: { kind: 'restart', server }, notice: null } };
    case 'l':
    case 'enter':
      if (server === null) return { state };
      return {
        state: { ...state, view: { kind: 'logs', server, lines: [], back: 0 }, notice: null },
        wish: { kind: 'logs', server },
      };
    default:
      return { state };
  }
}

function pressInRestart(state: TopState, server: string, key: string): Pressed {
  if (key === 'y') return { state: toServers(state), wish: { kind: 'restart', server } };
  return key === 'n' || key === 'escape' || key === 'q' ? { state: toServers(state) } : { state };
}

function pressInLogs(state: TopState, view: TopView & { readonly kind: 'logs' }, key: string): Pressed {
  const scroll = (lines: number): Pressed => {
    const back = Math.min(Math.max(0, view.back + lines), Math.max(0, view.lines.length - 1));
    return { state: { ...state, view: { ...view, back } } };
  };
  switch (key) {
    case 'up':
    case 'k':
      return scroll(1);
    case 'down':
    case 'j':
      return scroll(-1);
    case 'page-up':
      return scroll(10);
    case 'page-down':
      return scroll(-10);
    case 'q':
    case 'l':
    case 'escape':
      return { state: toServers(state) };
    default:
      return { state };
  }
}

/** The one that was selected may be gone. */
export function selectedServer({ samples, selected }: TopState): string | null {
  const servers = samples.at(-1)?.servers ?? [];
  return (servers.find(({ id }) => id === selected) ?? servers[0])?.id ?? null;
}

function move(state: TopState, by: number): TopState {
  const ids = state.samples.at(-1)?.servers.map(({ id }) => id) ?? [];
  const at = ids.indexOf(selectedServer(state) ?? '');
  return { ...state, selected: ids[Math.min(Math.max(0, at + by), ids.length - 1)] ?? null };
}

function toServers(state: TopState): TopState {
  return { ...state, view: { kind: 'servers' } };
}
