// The screens of `portico init`.
import { runScreen } from '../shell/run-screen.js';
import { createStore } from '../shell/store.js';
import { type Attachable, type AttachState, pressAttach, toAttachLines } from './attach.js';
import { toWizardLines } from './view.js';
import { type CheckFile, press, type WizardEnd, type WizardState } from './wizard.js';

export function showWizard(first: WizardState, checkFile: CheckFile): Promise<WizardEnd> {
  const store = createStore(first);
  return runScreen<WizardState, WizardEnd>({
    store,
    toLines: toWizardLines,
    onKey(key, finish) {
      const { state, end } = press(store.get(), key, checkFile);
      store.update(() => state);
      if (end !== undefined) finish(end);
    },
  });
}

/** Resolves with the ids of those that were chosen. */
export function showAttach(clients: readonly Attachable[], command: string): Promise<readonly string[]> {
  const store = createStore<AttachState>({ clients, command, checked: new Set(), cursor: 0 });
  return runScreen<AttachState, readonly string[]>({
    store,
    toLines: toAttachLines,
    onKey(key, finish) {
      const { state, chosen } = pressAttach(store.get(), key);
      store.update(() => state);
      if (chosen !== undefined) finish(chosen);
    },
  });
}
