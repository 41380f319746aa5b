// The histories of all callers, in bounded memory. Calls are compared within a session, a work item or a trace.
import type { Correlation } from '@portico/contracts';
import type { Caller } from '../call/call.js';
import type { CallSource } from '../call/call-source.js';
import { CallHistory } from './call-history.js';

/** Sessions, work items and traces that are kept of one principal; beyond them the one unused for longest is forgotten. */
export const maxScopes = 100;
/** Principals whose histories are kept; likewise. */
export const maxPrincipals = 1000;

type Scope = CallSource | string;

export interface Compared {
  /** The history that a call is compared with, and that takes it in. */
  readonly history: CallHistory;
  /** Takes it in as well. */
  readonly also?: CallHistory;
}

export interface CallHistories {
  of(caller: Caller, correlation: Correlation): Compared;
}

export function createCallHistories(): CallHistories {
  const principals = new Map<string, PrincipalHistories>();
  return {
    of(caller, { context, traceId }) {
      const { scopes, firstRuns } = keptLast(principals, caller.principal, maxPrincipals, createPrincipalHistories);
      const historyOf = (scope: Scope) => keptLast(scopes, scope, maxScopes, createCallHistory);
      const workItem = context?.work_item_id;
      if (workItem != null) return { history: historyOf(`work item ${workItem}`) };
      const session = sessionOf(caller);
      if (session !== undefined) return { history: historyOf(session) };
      // Many clients begin a trace for each request: the first run of a trace is compared with those of other traces.
      const own = historyOf(`trace ${traceId}`);
      return own.isEmpty ? { history: firstRuns, also: own } : { history: own };
    },
  };
}

interface PrincipalHistories {
  readonly scopes: Map<Scope, CallHistory>;
  /** The first runs of all its traces. */
  readonly firstRuns: CallHistory;
}

const createPrincipalHistories = (): PrincipalHistories => ({ scopes: new Map(), firstRuns: new CallHistory() });
const createCallHistory = () => new CallHistory();

/** The session of an MCP client: each has a source of its own. */
function sessionOf({ source }: Caller): CallSource | undefined {
  return source?.channel === 'mcp-http' || source?.channel === 'stdio' ? source : undefined;
}

/** The value of a key, which becomes the last to be forgotten. */
function keptLast<K, V>(kept: Map<K, V>, key: K, limit: number, make: () => V): V {
  const known = kept.get(key);
  if (known !== undefined && kept.size === 1) return known;
  if (known === undefined) {
    const oldest = kept.size >= limit ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
  } else kept.delete(key);
  const value = known ?? make();
  kept.set(key, value);
  return value;
}
