// The account of a call in a budget: the name of its actor, client, role, session, trace, work item or server.
import { sha256Hex } from '@portico/canonical-json';
import type { BudgetScope } from '@portico/contracts';
import type { Call } from '../call/call.js';
import type { CallSource } from '../call/call-source.js';
import type { Target } from '../call/target.js';

/** Longer names are cut, and end in a digest. */
const maxName = 200;

/** @returns undefined for a call without such a name: a budget by work item does not count it */
export type ScopeOf = (by: BudgetScope, call: Call, target: Target) => string | undefined;

export function createScopeNames(randomHex: (characters: number) => string): ScopeOf {
  const sessions = new WeakMap<CallSource, string>();
  const run = randomHex(8); // sessions end with the process
  let count = 0;
  const sessionOf = ({ caller }: Call): string => {
    const { source } = caller;
    if (source === undefined || (source.channel !== 'mcp-http' && source.channel !== 'stdio')) return actorOf(caller);
    const known = sessions.get(source);
    if (known !== undefined) return known;
    count += 1;
    const name = `${source.channel}-${run}-${count}`;
    sessions.set(source, name);
    return name;
  };
  const names: Readonly<Record<BudgetScope, (call: Call, target: Target) => string | null | undefined>> = {
    global: () => '',
    actor: ({ caller, correlation }) => caller.actor ?? correlation.context?.actor_id ?? caller.principal,
    client: ({ caller: { source } }) => source?.named.client?.name ?? source?.channel ?? 'unknown',
    role: ({ caller }) => caller.role ?? 'operator',
    session: sessionOf,
    trace: ({ correlation }) => correlation.traceId,
    work_item: ({ correlation }) => correlation.context?.work_item_id,
    server: (_call, { server }) => server,
  };
  return (by, call, target) => {
    const name = names[by](call, target) ?? undefined;
    return name === undefined || name.length <= maxName ? name : shorten(name);
  };
}

/** Over HTTP an actor has one session. */
function actorOf({ actor, principal }: Call['caller']): string {
  return actor ?? principal;
}

function shorten(name: string): string {
  return `${name.slice(0, maxName - 17)}~${sha256Hex(name).slice(0, 16)}`;
}
