// Search or jump to anything: a dialog with one field and what fits, best first. Up and Down choose, Enter opens.
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { VisibleText } from '../components/visible-text.js';
import { useCapabilities, useServers } from '../data/queries.js';
import { useClient, useIsAdmin, useSession } from '../data/session.js';
import { keepTheme } from '../data/theme.js';
import { pages } from '../pages.js';
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
        placeholder="A page, a server, a tool, a ticket, or an id to explain"
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

const actions = [
  { id: 'theme-light', title: 'Use the light theme' },
  { id: 'theme-dark', title: 'Use the dark theme' },
  { id: 'sign-in', title: 'Sign in' },
  { id: 'sign-out', title: 'Sign out' },
];

function useRunEntry(onClose: () => void): (entry: PaletteEntry) => void {
  const [, go] = useLocation();
  const { signIn, signOut } = useSession();
  return ({ id, href }) => {
    onClose();
    if (href !== undefined) go(href);
    else if (id === 'Action sign-in') signIn();
    else if (id === 'Action sign-out') signOut();
    else keepTheme(id === 'Action theme-dark' ? 'dark' : 'light');
  };
}

/** The index is kept while the palette is open, and takes what changes in the lists that the stream of changes renews. */
function useFound(text: string): readonly PaletteEntry[] {
  const client = useClient();
  const isAdmin = useIsAdmin();
  const servers = useServers().data?.servers;
  const tools = useCapabilities().data?.capabilities;
  const tickets = useQuery({
    queryKey: ['approvals', 'pending', 0],
    queryFn: ({ signal }) => client.listApprovals({ status: 'pending', limit: 50 }, { signal }),
  }).data?.approvals;
  const index = useMemo(createEntryIndex, []);
  const [version, setVersion] = useState(0);
  useEffect(() => {
    index.update(
      toEntries({
        pages: pages.filter(({ isForAdmins }) => isAdmin || isForAdmins !== true),
        servers: servers ?? [],
        tools: tools ?? [],
        tickets: tickets ?? [],
        actions,
      }),
    );
    setVersion((before) => before + 1);
  }, [index, isAdmin, servers, tools, tickets]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the index changed
  return useMemo(() => {
    const explained = explainEntryOf(text);
    return explained === undefined ? index.find(text, most) : [explained];
  }, [index, text, version]);
}
