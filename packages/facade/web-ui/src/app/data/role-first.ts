// Asks once as whom this tab is let in, so that nothing is asked for that its role may not read: each refusal would be a
// record in the audit log.
import type { Fetch } from '@portico/client';
import { parseJson } from '@portico/contracts';

type Init = Parameters<Fetch>[1];

export interface RoleFirst {
  /** `no` where the service has said so; `yes` also where it could not be asked, since the next answer says it then. */
  admin(url: string, init: Init): Promise<'yes' | 'no'>;
}

interface Access {
  readonly role: string | null;
  readonly admin: boolean;
}

/** @param onKnown called once it is known @param send asks the service */
export function askRoleFirst(send: Fetch, onKnown: (isAdmin: boolean) => void): RoleFirst {
  let asked: Promise<Access | undefined> | undefined;
  const ask = async (url: string, init: Init): Promise<Access | undefined> => {
    const { headers } = init;
    const answer = await send(new URL('/v1/access', url).href, { method: 'GET', headers: headers ?? {} }).catch(
      () => undefined,
    );
    if (answer?.ok !== true) return undefined;
    const access = parseJson(await answer.text()) as unknown as Access; // as the service answers
    // Without a role there is a token to be asked for (401), which a dialog does.
    if (access.admin || access.role !== null) onKnown(access.admin);
    return access;
  };
  return {
    async admin(url, init) {
      asked ??= ask(url, init);
      const access = await asked;
      if (access === undefined) asked = undefined;
      return access?.admin === false && access.role !== null ? 'no' : 'yes';
    },
  };
}

/** Returns the answer that the service would give, without a request. */
export function forbidden(method: string, path: string): Response {
  const error = { code: 'POLICY_DENIED', message: `your role may not use ${method} ${path}; it needs an admin role` };
  return Response.json({ ok: false, request_id: null, trace_id: '', data: null, error }, { status: 403 });
}
