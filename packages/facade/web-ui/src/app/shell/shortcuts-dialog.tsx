// The list of keyboard shortcuts, and the switch for single letters.
import { useState } from 'react';
import { CheckField } from '../components/field.js';
import { Modal } from '../components/modal.js';
import { keepShortcuts, readShortcuts } from '../data/row-keys.js';

const shortcuts = [
  ['Ctrl K', 'Search or jump to a page, a server, a tool, a ticket, a call'],
  ['j, k', 'Next row, row before'],
  ['Enter', 'Open the row'],
  ['w', 'Why? of the row'],
  ['a, r', 'Approve or reject the call of the row; a accepts the change of a row'],
  ['Esc', 'Close the panel or the dialog'],
  ['?', 'These shortcuts'],
] as const;

export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const [areOn, setOn] = useState(readShortcuts);
  const change = (next: boolean) => {
    keepShortcuts(next);
    setOn(next);
  };
  return (
    <Modal title="Keyboard" onClose={onClose}>
      <div className="stack">
        <dl className="facts">
          {shortcuts.map(([keys, text]) => (
            <div key={keys} className="shortcut">
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <CheckField
          label="Single letters are shortcuts"
          hint="Switch this off where letters are spoken or pressed by mistake. It is kept in this browser."
          isChecked={areOn}
          onChecked={change}
        />
      </div>
    </Modal>
  );
}
