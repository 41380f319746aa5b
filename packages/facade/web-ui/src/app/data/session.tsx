// The client of this browser tab and the token it sends. A token is kept until the tab is closed, and never in the
// address. Where the service asks for one, a dialog does.
import { type ApiClient, ApiError, createClient, type Fetch } from '@portico/client';
import { routes } from '@portico/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useReducer } from 'react';
import { TokenDialog } from '../shell/token-dialog.js';
import { type Credentials, type CredentialsEvent, firstCredentials, nextCredentials } from './credentials.js';
import { tokenKey } from './open-by-code.js';
import { refusedOnce } from './refused-once.js';
import { askRoleFirst, forbidden } from './role-first.js';

interface Session {
  readonly client: ApiClient;
  readonly token: string | null;
  /** Aborts at the sign-out: for an action that must not end after it. */
  readonly signal: AbortSignal;
  /** `no` where the role of this tab may not read what takes an administrator. */
  readonly admin: Credentials['admin'];
  /** Asks for a token, or for another one. */
  signIn(): void;
  signOut(): void;
}

const SessionContext = createContext<Session | undefined>(undefined);
const key = tokenKey;

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [{ token, generation, visit, asking, admin }, dispatch] = useReducer(nextCredentials, null, () =>
    firstCredentials(sessionStorage.getItem(key)),
  );
  const client = useMemo(() => createClientOf(token, generation, dispatch), [token, generation]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a sign-out nothing of what was seen is kept
  const queries = useMemo(createQueries, [visit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a visit ends once
  const visitEnd = useMemo(() => new AbortController(), [visit]);

  // With another token everything is asked again, and forms that are open stay as they are. A query without data would
  // otherwise wait for the answer to the token before, and an inactive one would show it later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a client has one token
  useEffect(() => {
    void queries.invalidateQueries();
    return () => {
      void queries.cancelQueries();
      queries.removeQueries({ type: 'inactive' });
    };
  }, [client, queries]);

  // The back-forward cache of the browser keeps a page with the token that it had, also after a sign-out in this tab.
  useEffect(() => {
    const onShow = () => {
      if (sessionStorage.getItem(key) !== token) location.reload();
    };
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, [token]);

  const session = useMemo<Session>(
    () => ({
      client,
      token,
      admin,
      signal: visitEnd.signal,
      signIn: () => dispatch({ kind: 'dialog_opened' }),
      signOut() {
        sessionStorage.removeItem(key);
        visitEnd.abort();
        dispatch({ kind: 'signed_out' });
      },
    }),
    [client, token, admin, visitEnd],
  );
  const onToken = (next: string) => {
    sessionStorage.setItem(key, next);
    dispatch({ kind: 'signed_in', token: next });
  };

  return (
    <SessionContext value={session}>
      <QueryClientProvider key={visit} client={queries}>
        {children}
        {asking === 'no' || asking === 'declined' ? null : (
          <TokenDialog
            isRequired={asking === 'required'}
            wasRefused={asking === 'required' && token !== null}
            onToken={onToken}
            onClose={() => dispatch({ kind: 'dialog_closed' })}
          />
        )}
      </QueryClientProvider>
    </SessionContext>
  );
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession() needs a SessionContext around the component');
  return session;
}

/** False if the service has said that the role of this tab is no administrator's. */
export function useIsAdmin(): boolean {
  return useSession().admin !== 'no';
}

export function useClient(): ApiClient {
  return useSession().client;
}

/** @param dispatch takes what the answers say of the token of this generation and of its role */
function createClientOf(
  token: string | null,
  generation: number,
  dispatch: (event: CredentialsEvent) => void,
): ApiClient {
  const send: Fetch = (url, init) => fetch(url, init);
  const ask = refusedOnce(send, accessOf);
  const roleFirst = askRoleFirst(send, (isAdmin) => dispatch({ kind: 'role_seen', generation, isAdmin }));
  return createClient({
    baseUrl: location.origin,
    token: token ?? undefined,
    program: 'portico-console',
    async fetch(url, init) {
      const { pathname } = new URL(url);
      const admin = roleFirst.admin(url, init);
      const { method = 'GET' } = init;
      const isAdminRead = isRead(method, pathname) && accessOf(method, pathname) === 'admin';
      if (isAdminRead && (await admin) === 'no') return forbidden(method, pathname);
      const response = await ask(url, init);
      if (response.status === 401) dispatch({ kind: 'refused', generation });
      if (isAdminRead && (response.ok || response.status === 403))
        dispatch({ kind: 'role_seen', generation, isAdmin: response.ok });
      return response;
    },
  });
}

/** Pages send these on their own. A test of policy changes nothing, and has its question in a body. */
function isRead(method: string, pathname: string): boolean {
  return method === 'GET' || pathname === '/v1/config/policy/test';
}

const patterns = routes.map(({ method, path, access }) => ({
  method: method.toUpperCase(),
  path: new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`),
  access,
}));

function accessOf(method: string, path: string): string {
  return patterns.find((route) => route.method === method && route.path.test(path))?.access ?? path;
}

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A refusal stays one; what did not reach the service may do so the next time.
      queries: { retry: (count, error) => !(error instanceof ApiError) && count < 2, staleTime: 2000 },
      mutations: { retry: false },
    },
  });
}
