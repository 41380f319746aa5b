// Remembers how each server wanted to be spoken to, so that a reconnect does not ask again. A changed definition or a
// failed handshake forgets it: a server may have been upgraded.
import type { ServerConfig } from '@portico/contracts';

/** `sse`: the older HTTP+SSE transport. */
export type Verdict = 'modern' | 'legacy' | 'sse';

export interface EraMemory {
  recall(id: string, server: ServerConfig): Verdict | undefined;
  remember(id: string, server: ServerConfig, verdict: Verdict): void;
  forget(id: string): void;
}

export function createEraMemory(): EraMemory {
  const verdicts = new Map<string, { readonly definition: string; readonly verdict: Verdict }>();
  return {
    recall(id, { transport }) {
      const known = verdicts.get(id);
      return known?.definition === JSON.stringify(transport) ? known.verdict : undefined;
    },
    remember(id, { transport }, verdict) {
      verdicts.set(id, { definition: JSON.stringify(transport), verdict });
    },
    forget(id) {
      verdicts.delete(id);
    },
  };
}
