// Lists by keyboard: j and k move over the rows of the page, and a letter presses what has it in the row with the focus.
// The shortcuts can be switched off, since a single letter may be spoken by mistake (WCAG 2.2, 2.1.4).
import { useEffect, useState } from 'react';

const key = 'portico.shortcuts';

export function readShortcuts(): boolean {
  return localStorage.getItem(key) !== 'off';
}

export function keepShortcuts(areOn: boolean): void {
  if (areOn) localStorage.removeItem(key);
  else localStorage.setItem(key, 'off');
}

/** Follows the keys of the page while it is mounted. `?` opens what `onHelp` shows. */
export function useRowKeys(): { readonly isHelpOpen: boolean; closeHelp(): void } {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return;
      if (event.key === '?') setHelpOpen(true);
      else if (event.key === 'j' || event.key === 'k') moveFocus(event.key === 'j' ? 1 : -1);
      else if (!pressInRow(event.key)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return { isHelpOpen, closeHelp: () => setHelpOpen(false) };
}

function isShortcut({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || !readShortcuts()) return false;
  if (document.querySelector('dialog[open]') !== null) return false;
  return !(target instanceof HTMLElement) || !target.matches('input, select, textarea, [contenteditable]');
}

function moveFocus(step: 1 | -1): void {
  const inMain = document.querySelectorAll<HTMLElement>('main [data-row]');
  const rows = [...inMain].filter((row) => row.checkVisibility()); // a closed part of the page has rows too
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: 'nearest' });
}

/** Only where the row itself has the focus: what is in it has keys of its own. */
function pressInRow(pressed: string): boolean {
  const row = document.activeElement;
  if (!(row instanceof HTMLElement) || row.dataset.row === undefined) return false;
  const control = row.querySelector<HTMLElement>(`[data-key="${CSS.escape(pressed)}"]`);
  control?.click();
  return control !== null;
}
