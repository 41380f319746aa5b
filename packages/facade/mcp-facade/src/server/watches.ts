// The resources that one client watches. Each is watched once, and given up when the client says so or goes away.
import { PorticoError } from '@portico/contracts';
import type { Caller, ControlPlane } from '@portico/control-plane';
import { findResource, type ResourcePlace } from '../catalog/resource-uris.js';
import type { Surface } from '../catalog/surface.js';

export interface Watches {
  /** Whether there is such a resource. @throws PorticoError POLICY_DENIED, RESOURCE_NOT_FOUND, INVALID_ARGS for too many */
  add(uri: string): Promise<boolean>;
  remove(uri: string): void;
  /** The URIs under which a resource of a server is watched. */
  urisOf(server: string, uri: string): readonly string[];
  close(): void;
}

interface Watch {
  readonly server: string;
  readonly uri: string;
  readonly stop: () => void;
}

/** That one client may watch. */
export const maxWatches = 1000;

export function createWatches(plane: ControlPlane, caller: Caller, surface: () => Surface): Watches {
  const watches = new Map<string, Watch>();
  let begun = 0;
  let isClosed = false;
  const remove = (uri: string) => {
    watches.get(uri)?.stop();
    watches.delete(uri);
  };

  return {
    async add(uri) {
      const place = findResource(plane.state(), surface().view, uri);
      if (place.kind === 'too_long') throw new PorticoError('INVALID_ARGS', place.message);
      if (place.kind !== 'found') return false;
      if (!watches.has(uri) && watches.size + begun >= maxWatches) throw tooMany();
      begun += 1;
      const stop = await plane.watchResource(caller, idOf(place)).finally(() => {
        begun -= 1;
      });
      remove(uri);
      if (isClosed) stop();
      else watches.set(uri, { server: place.server, uri: place.uri, stop });
      return true;
    },
    remove,
    urisOf: (server, uri) =>
      [...watches].filter(([, watch]) => watch.server === server && watch.uri === uri).map(([given]) => given),
    close() {
      isClosed = true;
      for (const uri of [...watches.keys()]) remove(uri);
    },
  };
}

function tooMany(): PorticoError {
  return new PorticoError(
    'INVALID_ARGS',
    `${maxWatches} resources are watched already (a fixed limit); unsubscribe from some first`,
  );
}

function idOf({ server, uri }: Extract<ResourcePlace, { readonly kind: 'found' }>): string {
  return `${server}.${uri}`;
}
