// Holds the snapshot in force and is the only one that replaces it, telling the log and the listeners what changed.
import type { Config } from '@portico/contracts';
import type { UpstreamListener } from '@portico/upstream-pool';
import { type Change, initialState, type PlaneState, reduce } from './plane-state.js';
import type { Log } from './ports.js';
import type { ServerMessages } from './server-messages.js';
import type { Updates } from './updates.js';
import { isSeen } from './visibility.js';

export interface StateHolder {
  /** The snapshot in force. */
  state(): PlaneState;
  /** What the upstreams report goes in here. */
  readonly upstreams: UpstreamListener;
}

/** @param onQuestion answers what servers ask outside of calls */
export function createStateHolder(
  config: Config,
  log: Log,
  updates: Updates,
  messages: ServerMessages,
  onQuestion: UpstreamListener['onQuestion'],
): StateHolder {
  let state = initialState(config);
  const returning = new Set<string>(); // servers that were lost and are not back yet

  const change = (next: Change) => {
    const before = state.catalog;
    state = reduce(state, next);
    const isNew = state.catalog.version !== before.version;
    const isBack = returning.delete(next.server);
    if (isNew || isBack) updates.catalogChanged(before, state.catalog, next.server);
    if (!isNew) return;
    log('info', 'the catalog changed', { server: next.server, catalog_version: state.catalog.version });
    if (state.catalog.refusedAliases.length > before.refusedAliases.length) {
      log('warn', 'aliases that equal an existing id are not in force', { aliases: state.catalog.refusedAliases });
    }
    const rejected = state.servers.get(next.server)?.rejected ?? [];
    if (rejected.length > 0) {
      log('warn', 'definitions left out: repeated or not valid', { server: next.server, rejected });
    }
  };

  return {
    state: () => state,
    upstreams: {
      onDefinitions: (server, definitions) => change({ kind: 'definitions_read', server, definitions }),
      onState(server, { status, ...rest }) {
        if (status === 'reconnecting') returning.add(server);
        const level = status === 'connected' || status === 'connecting' ? 'info' : 'warn';
        log(level, `server is ${status}`, { server, ...reasonOf(rest) });
      },
      onLog: (server, line) => log('info', 'a server wrote to its log', { server, line }),
      onLogMessage: messages.publish,
      onQuestion,
      onResourceUpdated(server, uri) {
        if (isSeen(state, 'resource', `${server}.${uri}`)) updates.resourceUpdated(server, uri);
      },
    },
  };
}

function reasonOf(state: object): Readonly<Record<string, unknown>> {
  return 'lastError' in state ? { reason: state.lastError } : {};
}
