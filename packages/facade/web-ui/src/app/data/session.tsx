// The client of this browser tab and the token it sends. A token is kept until the tab is closed, and never in the
// address. Where the service asks for one, a dialog does.
import { type ApiClient, ApiError, createClient } from '@portico/client';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { TokenDialog } from '../shell/token-dialog.js';

interface Session {
  readonly client: ApiClient;
  readonly token: string | null;
  /** Asks for a token, or for another one. */
  signIn(): void;
  signOut(): void;
  /** To be told of every failure: one that asks for a token opens the dialog. */
  notice(error: unknown): void;
}

const SessionContext = createContext<Session | undefined>(undefined);
const key = 'portico.token';

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [token, setToken] = useState<string | null>(() => sessionStorage.getItem(key));
  const [asking, setAsking] = useState<'no' | 'asked' | 'required' | 'declined'>('no');
  const notice = useCallback((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) {
      setAsking((before) => (before === 'declined' ? before : 'required')); // who has declined asks by themselves
    }
  }, []);
  const [visit, setVisit] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a sign-out nothing of what was seen is kept
  const queries = useMemo(() => createQueries(notice), [visit, notice]);
  const client = useMemo(() => createClient({ baseUrl: location.origin, token: token ?? undefined }), [token]);

  // With another token everything is asked anew, and forms that are open stay as they are.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a client has one token
  useEffect(() => void queries.invalidateQueries(), [client, queries]);

  const signIn = useCallback((next: string) => {
    sessionStorage.setItem(key, next);
    setToken(next);
    setAsking('no');
  }, []);
  const signOut = useCallback(() => {
    sessionStorage.removeItem(key);
    setToken(null);
    setAsking('no');
    setVisit((before) => before + 1);
  }, []);
  const session = useMemo(
    () => ({ client, token, signIn: () => setAsking('asked'), signOut, notice }),
    [client, token, signOut, notice],
  );

  return (
    <SessionContext value={session}>
      <QueryClientProvider key={visit} client={queries}>
        {children}
        {asking === 'no' || asking === 'declined' ? null : (
          <TokenDialog
            isRequired={asking === 'required'}
            wasRefused={asking === 'required' && token !== null}
            onToken={signIn}
            onClose={() => setAsking(asking === 'required' ? 'declined' : 'no')}
          />
        )}
      </QueryClientProvider>
    </SessionContext>
  );
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('no session around this component');
  return session;
}

export function useClient(): ApiClient {
  return useSession().client;
}

function createQueries(notice: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: notice }),
    mutationCache: new MutationCache({ onError: notice }),
    defaultOptions: {
      // A refusal stays one; what did not reach the service may do so the next time.
      queries: { retry: (count, error) => !(error instanceof ApiError) && count < 2, staleTime: 2000 },
      mutations: { retry: false },
    },
  });
}
