// Counts requests of a server that could reach no caller. It never decides which are refused.
import type { RefusalReason, ServerInfo } from '@portico/contracts';
import type { ServerRequestMethod } from './session.js';

export interface RefusedRequests {
  note(method: ServerRequestMethod, reason: RefusalReason): void;
  /** Absent if nothing was refused. */
  describe(): Pick<ServerInfo, 'refused_requests'>;
}

export function createRefusedRequests(): RefusedRequests {
  const counts = new Map<string, { method: ServerRequestMethod; reason: RefusalReason; count: number }>();
  return {
    note(method, reason) {
      const key = `${method} ${reason}`;
      const { count } = counts.get(key) ?? { count: 0 };
      counts.set(key, { method, reason, count: count + 1 });
    },
    describe: () => (counts.size === 0 ? {} : { refused_requests: [...counts.values()] }),
  };
}
