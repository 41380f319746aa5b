// Signs this tab in by the code of the link that opened it. What follows the # is sent to nobody; it is taken out of the
// address before anything else, and works once.
import { type ApiClient, createClient } from '@portico/client';
import { codeOf } from './console-code.js';

/** Where the token of this tab is kept until the tab is closed. */
export const tokenKey = 'portico.token';

/** Resolves when the tab is signed in, or when the code has turned out to be of no use: the service then asks for a token. */
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
