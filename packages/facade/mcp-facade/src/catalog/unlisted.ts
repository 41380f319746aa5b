// Resolves names that are hidden from a client: the plane refuses and records them, or knows that their server is still
// connecting, as for a caller over HTTP.
import type { PlaneState } from '@portico/control-plane';
import { beginsAsNativeOf, nativeName } from './names.js';

/** Canonical id of an upstream tool or prompt by its native name, visible to the client or not. */
export function idOfNative(state: PlaneState, kind: 'tool' | 'prompt', name: string): string | undefined {
  const { config, catalog, servers } = state;
  for (const server of config.servers.keys()) {
    const own = name.slice(server.length + 2);
    if (nativeName(server, own) !== name) continue;
    const id = `${server}.${own}`;
    const found = kind === 'tool' ? catalog.findCapability(id) : catalog.findPrompt(id);
    if (found !== undefined || !servers.has(server)) return id; // one that has not been reached yet may well have it
  }
  return undefined;
}

/**
 * Whether a name is reserved for a server besides `owner`: it begins as the native names of that one, also where no
 * tool has it now. Otherwise a server could take the name of another's tool after its removal, and get its calls.
 */
export function isReservedForOther({ config }: PlaneState, owner: string, name: string): boolean {
  for (const server of config.servers.keys()) if (server !== owner && beginsAsNativeOf(server, name)) return true;
  return false;
}

/**
 * An id without an entry in the catalog, for an unknown name: the name itself, or the quoted name if the id exists,
 * since a tool cannot be called by a name that is not listed.
 */
export function idOfNobody(state: PlaneState, name: string): string {
  const [server = ''] = name.split('.');
  const isSomething = state.catalog.findCapability(name) !== undefined || state.config.servers.has(server);
  return isSomething || state.config.aliases.capability.has(name) ? JSON.stringify(name) : name;
}
