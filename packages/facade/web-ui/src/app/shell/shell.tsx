// The frame around every page: skip link, sidebar (a drawer at phone width), and how the connection is doing.
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../components/button.js';
import { useLive } from '../data/live.js';
import { useConfig } from '../data/queries.js';
import { useRowKeys } from '../data/row-keys.js';
import { useIsAdmin, useSession } from '../data/session.js';
import { useSafetyCount } from '../data/use-safety-count.js';
import { formatCount } from '../lib/format.js';
import { type PageEntry, pages } from '../pages.js';
import { PaletteOpener } from '../palette/palette-opener.js';
import { useWhy } from '../why/why-address.js';
import { AwayBanner } from './away-banner.js';
import { LiveMark } from './live-mark.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';
import { SignedInAs } from './signed-in-as.js';
import { ThemeSwitch } from './theme-switch.js';
import { WaitingCalls } from './waiting-calls.js';

const WhyPanel = lazy(async () => ({ default: (await import('../why/why-panel.js')).WhyPanel }));

const groups = ['Watch', 'Use', 'Set up', 'Advanced'] as const;

export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [place] = useLocation();
  const main = useRef<HTMLElement>(null);
  const why = useWhy();
  const { awaySince } = useLive();
  const { isHelpOpen, closeHelp } = useRowKeys();
  const section = place.split('/')[1];
  const firstSection = useRef<string | undefined>(section);
  useEffect(() => {
    if (firstSection.current === section) return;
    firstSection.current = section;
    setOpen(false);
    main.current?.focus(); // a screen reader starts at the top of the next page
    window.scrollTo(0, 0);
  }, [section]);

  return (
    <div className={why.id === null ? 'shell' : 'shell has-panel'}>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className="topbar">
        <Button
          variant="quiet"
          className="menu-button"
          aria-expanded={isOpen}
          aria-controls="sidebar"
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Close menu' : 'Menu'}
        </Button>
        <Link href="/" className="brand">
          <Logo />
          Portico
        </Link>
      </header>
      <div id="sidebar" className={isOpen ? 'sidebar is-open' : 'sidebar'}>
        <Link href="/" className="brand brand-wide">
          <Logo />
          Portico
        </Link>
        <PaletteOpener />
        <nav aria-label="Pages">
          {groups.map((group) => (
            <NavGroup key={group} group={group} section={section} />
          ))}
        </nav>
        <SidebarFoot />
      </div>
      <main id="main" ref={main} tabIndex={-1} className={awaySince === undefined ? undefined : 'is-stale'}>
        {awaySince === undefined ? null : <AwayBanner since={awaySince} />}
        {children}
      </main>
      {isHelpOpen ? <ShortcutsDialog onClose={closeHelp} /> : null}
      {why.id === null ? null : (
        <Suspense fallback={null}>
          <WhyPanel id={why.id} onClose={why.close} />
        </Suspense>
      )}
    </div>
  );
}

interface NavGroupProps {
  readonly group: PageEntry['group'];
  readonly section: string | undefined;
}

function NavGroup({ group, section }: NavGroupProps) {
  const isAdmin = useIsAdmin();
  const entries = pages.filter((page) => page.group === group && (isAdmin || page.isForAdmins !== true));
  if (entries.length === 0) return null;
  return (
    <div className="nav-group">
      <h2 className="nav-title">{group}</h2>
      <ul>
        {entries.map(({ path, title, counts }) => (
          <li key={path}>
            <Link href={path} aria-current={path === `/${section}` ? 'page' : undefined}>
              <span>{title}</span>
              {counts === 'approvals' ? <PendingCount /> : null}
              {counts === 'safety' ? <SafetyCount /> : null}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function PendingCount() {
  return <Count count={useConfig().data?.metrics.approvals_pending ?? 0} word="pending" />;
}

function SafetyCount() {
  return <Count count={useSafetyCount()} word="held or used up" />;
}

function Count({ count, word }: { readonly count: number; readonly word: string }) {
  if (count === 0) return null;
  return (
    <span className="count">
      {formatCount(count)}
      <span className="visually-hidden"> {word}</span>
    </span>
  );
}

function SidebarFoot() {
  const { token, signIn, signOut } = useSession();
  return (
    <div className="sidebar-foot">
      <LiveMark />
      <WaitingCalls />
      <SignedInAs />
      <ThemeSwitch />
      {token === null ? (
        <Button variant="quiet" onClick={signIn}>
          Sign in
        </Button>
      ) : (
        <Button variant="quiet" onClick={signOut}>
          Sign out
        </Button>
      )}
    </div>
  );
}

function Logo() {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M5 12 16 5l11 7v2H5zM8 16h3.500v8H8zm6.250 0h3.500v8h-3.500zm6.250 0H24v8h-3.500zM5 25.500h22V28H5z" />
    </svg>
  );
}
