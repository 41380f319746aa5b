// After a client was attached: its own servers are moved behind Portico where the flags or the person say so.
import type { ClientMove } from '@portico/contracts';
import { openTerminal } from '../input/ask.js';
import { agrees, type MoveSession, moveNow, showDone } from './move.js';

export interface MoveChoice {
  readonly yes?: true;
  /** Undefined asks on a terminal, and moves nothing in a pipe or with `yes`. */
  readonly move?: boolean;
}

/** @returns what was moved; null if nothing was. Says it, unless the output is JSON */
export async function offerMove(
  session: MoveSession,
  id: string,
  { yes, move }: MoveChoice,
): Promise<ClientMove | null> {
  const { client, output } = session;
  if (move === false) return null;
  const planned = await client.moveClient(id, { dry_run: true });
  if (planned.servers.length === 0) {
    if (move === true) for (const { name, reason } of planned.left) output.note(`${name} stays: ${reason}`);
    return null;
  }
  const canAsk = yes !== true && !output.isJson && isOnTerminal(session);
  const isAgreed = move === true || (canAsk && (await agrees(session, planned)));
  if (!isAgreed) {
    const names = planned.servers.map(({ name }) => name).join(', ');
    output.note(`${id} still reaches ${names} directly; next: portico clients move ${id}`);
    return null;
  }
  const done = await moveNow(session, id, { servers: null, check: true });
  if (!output.isJson) showDone(done, output);
  return done;
}

function isOnTerminal({ stopped }: MoveSession): boolean {
  const terminal = openTerminal(stopped);
  terminal?.close();
  return terminal !== undefined;
}
