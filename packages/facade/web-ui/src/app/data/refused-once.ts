// Asks for nothing again that was refused: of the routes that need the same kind of access one is asked, and where that is
// answered with 401 the others are as well, without a request. A role without administration sends a request that
// takes an administrator once (403). Each refusal is a record in the audit log.
import type { Fetch } from '@portico/client';

/** @param accessOf the kind of access that a request needs; requests of one kind are refused alike */
export function refusedOnce(send: Fetch, accessOf: (method: string, path: string) => string): Fetch {
  const refusals = new Map<string, Response>();
  const first = new Map<string, Promise<unknown>>();

  const ask = async (access: string, ...[url, init]: Parameters<Fetch>): Promise<Response> => {
    const response = await send(url, init);
    const isRole = response.status === 403 && access === 'admin' && init.method === 'GET';
    if (response.status === 401 || isRole) refusals.set(access, response.clone());
    return response;
  };

  return async (url, init) => {
    const access = accessOf(init.method ?? 'GET', new URL(url).pathname);
    const before = first.get(access);
    if (before !== undefined) await before.catch(() => {}); // the first caller handles a failure
    const refusal = refusals.get(access);
    if (refusal !== undefined) return refusal.clone();
    const asked = ask(access, url, init);
    if (!first.has(access)) first.set(access, asked);
    return asked;
  };
}
