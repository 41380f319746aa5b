// The questions of `portico init` one after another, and what keys make of them. Only computations; what was answered
// stays when one goes back.
import type { ImportedServer } from '@portico/host';
import { type Choices, type PlannedFile, planFile } from '../../init/plan.js';
import { typeKey } from '../shell/keys.js';

export const steps = ['servers', 'file', 'port', 'approval', 'redaction', 'lock', 'preview'] as const;
export type Step = (typeof steps)[number];

export interface WizardState {
  readonly step: Step;
  readonly servers: readonly ImportedServer[];
  /** Servers that were not taken from the clients' files, with the reasons. */
  readonly left: readonly string[];
  readonly unchecked: ReadonlySet<string>;
  readonly cursor: number;
  readonly file: string;
  readonly port: string;
  readonly asksBeforeDestroying: boolean;
  readonly redacts: boolean;
  readonly locks: boolean;
  /** The problem of the answer, shown beside it. */
  readonly problem: string | null;
}

export type WizardEnd =
  | { readonly kind: 'cancel' }
  | { readonly kind: 'write'; readonly file: string; readonly plan: PlannedFile };

export interface Pressed {
  readonly state: WizardState;
  readonly end?: WizardEnd;
}

/** Says why a file cannot be written there; null if it can. */
export type CheckFile = (file: string) => string | null;

export function startWizard(found: Pick<WizardState, 'servers' | 'left'>, file: string, port: number): WizardState {
  return {
    ...found,
    step: 'servers',
    unchecked: new Set(),
    cursor: 0,
    file,
    port: String(port),
    asksBeforeDestroying: true,
    redacts: true,
    locks: true,
    problem: null,
  };
}

export function press(state: WizardState, key: string, checkFile: CheckFile): Pressed {
  if (key === 'interrupt') return { state, end: { kind: 'cancel' } };
  if (key === 'escape') return goBack(state);
  if (key === 'enter') return goOn(state, checkFile);
  return { state: answer(state, key) };
}

function answer(state: WizardState, key: string): WizardState {
  switch (state.step) {
    case 'servers':
      return answerServers(state, key);
    case 'file':
      return { ...state, file: typeKey(state.file, key) ?? state.file, problem: null };
    case 'port':
      return { ...state, port: typeKey(state.port, key) ?? state.port, problem: null };
    case 'approval':
      return { ...state, asksBeforeDestroying: yesOrNo(key) ?? state.asksBeforeDestroying };
    case 'redaction':
      return { ...state, redacts: yesOrNo(key) ?? state.redacts };
    case 'lock':
      return { ...state, locks: yesOrNo(key) ?? state.locks };
    case 'preview':
      return { ...state, cursor: Math.max(0, state.cursor + toStep(key)) };
  }
}

function answerServers(state: WizardState, key: string): WizardState {
  const { servers, cursor, unchecked } = state;
  const server = servers[cursor];
  if (key === ' ' && server !== undefined) return { ...state, unchecked: toggle(unchecked, server.server_id) };
  if (key === 'a') {
    return {
      ...state,
      unchecked: unchecked.size === 0 ? new Set(servers.map(({ server_id }) => server_id)) : new Set(),
    };
  }
  return { ...state, cursor: Math.min(Math.max(0, cursor + toStep(key)), Math.max(0, servers.length - 1)) };
}

function goBack(state: WizardState): Pressed {
  const before = steps[steps.indexOf(state.step) - 1];
  if (before === undefined) return { state, end: { kind: 'cancel' } };
  return { state: { ...state, step: before, cursor: 0, problem: null } };
}

function goOn(state: WizardState, checkFile: CheckFile): Pressed {
  const plan = planOf(state);
  const problem = problemOf(state, plan, checkFile);
  if (problem !== null) return { state: { ...state, problem } };
  const next = steps[steps.indexOf(state.step) + 1];
  if (next === undefined) return { state, end: { kind: 'write', file: state.file, plan } };
  return { state: { ...state, step: next, cursor: 0, problem: null } };
}

function problemOf({ step, file, port }: WizardState, plan: PlannedFile, checkFile: CheckFile): string | null {
  if (step === 'file') return file.trim() === '' ? 'a name is needed' : checkFile(file);
  if (step === 'port') return toPort(port) === undefined ? 'a port is a whole number from 1 to 65535' : null;
  const [issue] = step === 'preview' ? plan.issues : [];
  return issue === undefined ? null : `${issue.path}: ${issue.message}`;
}

export function planOf(state: WizardState): PlannedFile {
  return planFile(choicesOf(state));
}

function choicesOf({ servers, unchecked, port, asksBeforeDestroying, redacts, locks }: WizardState): Choices {
  const chosen = servers.filter(({ server_id }) => !unchecked.has(server_id));
  return { servers: chosen, port: toPort(port) ?? 0, asksBeforeDestroying, redacts, locks };
}

export function toPort(text: string): number | undefined {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined;
}

export function toggle(set: ReadonlySet<string>, member: string): ReadonlySet<string> {
  return new Set(set.has(member) ? [...set].filter((each) => each !== member) : [...set, member]);
}

export function toStep(key: string): number {
  if (key === 'up' || key === 'k') return -1;
  return key === 'down' || key === 'j' ? 1 : 0;
}

function yesOrNo(key: string): boolean | undefined {
  if (key === 'y') return true;
  return key === 'n' ? false : undefined;
}
