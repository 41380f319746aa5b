// Search or jump to anything: a dialog with one field and what fits, best first. Up and Down choose, Enter opens.
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { VisibleText } from '../components/visible-text.js';
import { useActivity } from '../data/activity.js';
import { useCapabilities, useServers } from '../data/queries.js';
import { useIsAdmin } from '../data/session.js';
import { useWaiting } from '../decisions/use-waiting.js';
import { pages } from '../pages.js';
import { actionsFor, useRunEntry } from './actions.js';
import { explainEntryOf, type PaletteEntry, toEntries } from './entries.js';
import { createEntryIndex } from './entry-index.js';
import './palette.css';

const most = 12;

export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useFound(text);
  const run = useRunEntry(onClose);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const shown = dialog.current;
    if (shown !== null && !shown.open) shown.showModal();
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const entry = found[chosen];
    if (step !== 0) setChosen((chosen + step + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Enter' && entry !== undefined) run(entry);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className="modal palette"
      aria-label="Search or jump"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <input
        type="search"
        role="combobox"
        aria-label="Search or jump to"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${chosen}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="A page, a server, a tool, a ticket, a call, or an id to explain"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Matches" className="palette-list">
        {found.map((entry, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the chosen option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          <div
            key={entry.id}
            role="option"
            id={`${id}-${at}`}
            aria-selected={at === chosen}
            className="palette-option"
            onClick={() => run(entry)}
          >
            <span className="palette-title">
              <VisibleText text={entry.title} />
            </span>
            <span className="palette-kind">{entry.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p className="palette-none">Nothing fits.</p> : null}
    </dialog>
  );
}

/** The index is kept while the palette is open, and takes what changes in the lists that the stream of changes renews. */
function useFound(text: string): readonly PaletteEntry[] {
  const isAdmin = useIsAdmin();
  const servers = useServers().data?.servers;
  const tools = useCapabilities().data?.capabilities;
  const tickets = useWaiting().data?.tickets;
  const calls = useActivity().data?.calls;
  const index = useMemo(createEntryIndex, []);
  const [version, setVersion] = useState(0);
  useEffect(() => {
    index.update(
      toEntries({
        pages: pages
          .filter(({ isForAdmins }) => isAdmin || isForAdmins !== true)
          .flatMap((page) => [page, ...(page.parts ?? [])]),
        servers: servers ?? [],
        tools: tools ?? [],
        tickets: tickets ?? [],
        calls: calls ?? [],
        actions: actionsFor(isAdmin, servers ?? []),
      }),
    );
    setVersion((before) => before + 1);
  }, [index, isAdmin, servers, tools, tickets, calls]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the index changed
  return useMemo(() => {
    const explained = explainEntryOf(text);
    return explained === undefined ? index.find(text, most) : [explained];
  }, [index, text, version]);
}
