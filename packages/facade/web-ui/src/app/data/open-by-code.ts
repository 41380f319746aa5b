// Signs this tab in by the code of the link that opened it. The part after the # is never sent to a server. It is
// removed from the address before anything else, and works once.
import { type ApiClient, createClient } from '@portico/client';
import { codeOf } from './console-code.js';

/** Where the token of this tab is kept until the tab is closed. */
export const tokenKey = 'portico.token';

/** Resolves when the tab is signed in, or when the code is refused: the service then asks for a token. */
export async function openByCode(
  client: Pick<ApiClient, 'openConsoleSession'> = createClient({
    baseUrl: location.origin,
    program: 'portico-console',
  }),
): Promise<void> {
  const code = codeOf(location.hash);
  // A link that is pasted into an open tab loads nothing by itself.
  addEventListener('hashchange', () => codeOf(location.hash) !== undefined && location.reload());
  if (code === undefined) return;
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  const session = await client.openConsoleSession({ code }).catch(() => undefined);
  if (session === undefined) sessionStorage.removeItem(tokenKey);
  else sessionStorage.setItem(tokenKey, session.token);
}
