// The guard of each HTTP server: which addresses it may lead Portico to. It outlives sessions and logins, because it
// remembers where the server was; it ends when the address of the server, or what it is allowed, changes.
import type { HttpServer } from '@portico/contracts';
import type { Egress, UpstreamGuard } from '@portico/egress';

export type GuardSettings = Pick<HttpServer, 'url' | 'allowPrivateMetadata' | 'allowedAddressClasses'>;

export interface ServerGuards {
  of(id: string, settings: GuardSettings): UpstreamGuard;
  /** Forgets all other servers. */
  retain(ids: readonly string[]): void;
}

export function createServerGuards(egress: Egress): ServerGuards {
  const known = new Map<string, { readonly definition: string; readonly guard: UpstreamGuard }>();
  return {
    of(id, { url, allowPrivateMetadata, allowedAddressClasses }) {
      const definition = JSON.stringify([url, allowPrivateMetadata, allowedAddressClasses]);
      const before = known.get(id);
      if (before?.definition === definition) return before.guard;
      const guard = egress.upstream(new URL(url), { allowPrivateMetadata, allowedAddressClasses });
      known.set(id, { definition, guard });
      return guard;
    },
    retain(ids) {
      for (const id of [...known.keys()]) if (!ids.includes(id)) known.delete(id);
    },
  };
}
