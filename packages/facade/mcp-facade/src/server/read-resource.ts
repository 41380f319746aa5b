// `resources/read` by the resource's own URI, or by the name under its server: `portico://<server>/<uri>`, and
// `ui://<server>/<rest>` for the page of an app.
import type { JsonObject } from '@portico/contracts';
import { invalidParams, requestFailure } from '../calls/failures.js';
import { correlationOf, frameOf, type Incoming } from '../calls/incoming.js';
import { toResult } from '../calls/results.js';
import { findResource, qualifiedUri } from '../catalog/resource-uris.js';
import { textParam } from './params.js';

export async function readResource(incoming: Incoming): Promise<JsonObject> {
  const uri = textParam(incoming.params, 'uri');
  const id = resourceId(incoming, uri);
  const { end, ...frame } = frameOf(incoming);
  const { envelope } = await incoming.deps.plane
    .execute({ kind: 'resource', id, args: {}, correlation: correlationOf(incoming), idempotencyKey: null, ...frame })
    .finally(end);
  if (!envelope.ok) throw requestFailure(incoming.connection.era, envelope, { uri });
  return toResult(incoming, envelope.data, id.slice(0, id.indexOf('.')));
}

/** Canonical id. @throws ProtocolError -32602 */
export function resourceId({ deps, surface }: Pick<Incoming, 'deps' | 'surface'>, uri: string): string {
  const place = findResource(deps.plane.state(), surface.view, uri);
  switch (place.kind) {
    case 'found':
      return `${place.server}.${place.uri}`;
    case 'ambiguous': {
      const names = place.servers.map((server) => qualifiedUri(server, uri)).join(', ');
      throw invalidParams(`several servers have ${uri}; use one of ${names}`, { uri });
    }
    case 'too_long':
      throw invalidParams(place.message);
    case 'unknown':
      throw invalidParams(`Resource not found: ${uri}`, { uri });
  }
}
