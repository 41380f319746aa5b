// Actions of the palette that are no navigation.
import { useLocation } from 'wouter';
import { useToast } from '../components/toasts.js';
import { useClient, useSession } from '../data/session.js';
import { keepTheme } from '../data/theme.js';
import { toProblem } from '../lib/problem.js';
import type { PaletteEntry } from './entries.js';

interface NamedAction {
  readonly id: string;
  readonly title: string;
}

const ownActions: readonly NamedAction[] = [
  { id: 'theme-light', title: 'Use the light theme' },
  { id: 'theme-dark', title: 'Use the dark theme' },
  { id: 'sign-in', title: 'Sign in' },
  { id: 'sign-out', title: 'Sign out' },
];

const restart = 'restart ';

/** The actions that the role may do. */
export function actionsFor(isAdmin: boolean, servers: readonly { readonly id: string }[]): readonly NamedAction[] {
  if (!isAdmin) return ownActions;
  return [
    { id: 'reload', title: 'Reload the configuration' },
    ...ownActions,
    ...servers.map(({ id }) => ({ id: `${restart}${id}`, title: `Restart ${id}` })),
  ];
}

/** Opens the address of an entry, or does what it names and says how that ended. */
export function useRunEntry(onClose: () => void): (entry: PaletteEntry) => void {
  const [, go] = useLocation();
  const { signIn, signOut } = useSession();
  const client = useClient();
  const say = useToast();
  const act = (done: Promise<string>) =>
    void done.then(say, (error: unknown) => {
      const { code, message } = toProblem(error);
      say(`${code}: ${message}`);
    });
  const run = (id: string): void => {
    if (id === 'sign-in') signIn();
    else if (id === 'sign-out') signOut();
    else if (id === 'theme-light' || id === 'theme-dark') keepTheme(id === 'theme-dark' ? 'dark' : 'light');
    else if (id === 'reload') act(client.reloadConfig().then(() => 'The configuration is read again'));
    else if (id.startsWith(restart)) {
      const server = id.slice(restart.length);
      act(client.restartServer(server).then(({ status }) => `${server} is restarted; it is ${status}`));
    }
  };
  return ({ id, href }) => {
    onClose();
    if (href === undefined) run(id.slice('Action '.length));
    else go(href);
  };
}
