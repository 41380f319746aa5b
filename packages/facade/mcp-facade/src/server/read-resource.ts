// `resources/read` by the resource's own URI, or by the name under its server: `portico://<server>/<uri>`, and
// `ui://<server>/<rest>` for the page of an app.
import type { JsonObject } from '@portico/contracts';
import type { AskedName } from '@portico/control-plane';
import { invalidParams, requestFailure } from '../calls/failures.js';
import { correlationOf, frameOf, type Incoming } from '../calls/incoming.js';
import { exactData, toResult } from '../calls/results.js';
import { whenKnown } from '../calls/when-known.js';
import { findResource, qualifiedUri, type ResourcePlace } from '../catalog/resource-uris.js';
import { textParam } from './params.js';
import { readTrace, traceIn } from './trace-resource.js';

export async function readResource(incoming: Incoming): Promise<JsonObject> {
  const uri = textParam(incoming.params, 'uri');
  const trace = traceIn(incoming, uri);
  if (trace !== undefined) return readTrace(incoming, uri, trace);
  return whenKnown(
    incoming,
    () => [askedResource(incoming, uri)],
    (known) => readKnownResource(known, uri),
  );
}

/** The name by which the plane may find it, whether or not it exists. */
export function askedResource({ deps, surface }: Incoming, uri: string): AskedName {
  const place = findResource(deps.plane.state(), surface.view, uri);
  return { kind: 'resource', id: place.kind === 'found' ? idOf(place) : uri };
}

async function readKnownResource(incoming: Incoming, uri: string): Promise<JsonObject> {
  const id = resourceId(incoming, uri);
  const { end, ...frame } = frameOf(incoming);
  const { envelope, dataText } = await incoming.deps.plane
    .execute({ kind: 'resource', id, args: {}, correlation: correlationOf(incoming), idempotencyKey: null, ...frame })
    .finally(end);
  if (!envelope.ok) throw requestFailure(incoming.connection.era, envelope, { uri });
  return toResult(incoming, exactData({ data: envelope.data, dataText }), id.slice(0, id.indexOf('.')));
}

/** Canonical id. @throws ProtocolError -32602 */
export function resourceId({ deps, surface }: Pick<Incoming, 'deps' | 'surface'>, uri: string): string {
  const place = findResource(deps.plane.state(), surface.view, uri);
  switch (place.kind) {
    case 'found':
      return idOf(place);
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

function idOf({ server, uri }: Extract<ResourcePlace, { readonly kind: 'found' }>): string {
  return `${server}.${uri}`;
}
