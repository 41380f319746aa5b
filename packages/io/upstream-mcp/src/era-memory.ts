// Remembers how each server wanted to be spoken to, so that a reconnect does not ask again. A changed definition or a
// failed handshake forgets it: a server may have been upgraded.
import type { ServerConfig } from '@portico/contracts';

/** `sse`: the older HTTP+SSE transport. */
export type Verdict = 'modern' | 'legacy' | 'sse';

/** The message to send to a child that ended both after the probe and after `initialize`: one of the two. */
export type FirstMessage = 'probe' | 'initialize';

export interface EraMemory {
  recall(id: string, server: ServerConfig): Verdict | undefined;
  remember(id: string, server: ServerConfig, verdict: Verdict): void;
  /** @param hasEnded whether it was a child that has ended during its handshake */
  failed(id: string, server: ServerConfig, hasEnded: boolean): void;
  /**
   * The message for a child whose last start has ended so, alternating; undefined if both may be sent in one start.
   */
  firstMessage(id: string, server: ServerConfig): FirstMessage | undefined;
}

export function createEraMemory(): EraMemory {
  const verdicts = new Map<string, { readonly definition: string; readonly verdict: Verdict }>();
  const failedStarts = new Map<string, { readonly definition: string; readonly count: number }>();
  const failedStartsOf = (id: string, definition: string) => {
    const known = failedStarts.get(id);
    return known?.definition === definition ? known.count : 0;
  };
  return {
    recall(id, { transport }) {
      const known = verdicts.get(id);
      return known?.definition === JSON.stringify(transport) ? known.verdict : undefined;
    },
    remember(id, { transport }, verdict) {
      failedStarts.delete(id);
      verdicts.set(id, { definition: JSON.stringify(transport), verdict });
    },
    failed(id, { transport }, hasEnded) {
      const isChildGone = transport.kind === 'stdio' && hasEnded;
      if (isChildGone && verdicts.get(id)?.verdict === 'legacy') return; // asked one thing only, and refuses it if it is newer now
      verdicts.delete(id);
      if (!isChildGone) {
        failedStarts.delete(id);
        return;
      }
      const definition = JSON.stringify(transport);
      failedStarts.set(id, { definition, count: failedStartsOf(id, definition) + 1 });
    },
    firstMessage(id, { transport }) {
      const count = failedStartsOf(id, JSON.stringify(transport));
      if (count === 0) return undefined;
      return count % 2 === 1 ? 'probe' : 'initialize';
    },
  };
}
