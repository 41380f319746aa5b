// `portico://traces/<id>`: why a call ended as it did, for the client that made it. It is in no list: these have what servers list.
import { exactJson, type JsonObject } from '@portico/contracts';
import { invalidParams } from '../calls/failures.js';
import type { Incoming } from '../calls/incoming.js';

const authority = 'traces';

type Asked = Pick<Incoming, 'deps' | 'connection'>;

/**
 * The trace that a URI names; undefined for other URIs, or where a server has the name, whose resources keep their
 * URIs.
 */
export function traceIn({ deps }: Asked, uri: string): string | undefined {
  const [, id] = /^portico:\/\/traces\/([0-9a-f]{32})$/i.exec(uri) ?? [];
  return id !== undefined && isOurs(deps) ? id.toLowerCase() : undefined;
}

/** Rejects with ProtocolError -32602 where the client has no call of it, as for a resource that does not exist. */
export async function readTrace({ deps, connection }: Asked, uri: string, id: string): Promise<JsonObject> {
  const { plane } = deps;
  const { caller } = connection;
  // A client acts under its authenticated identity, even as an admin. Only the operator has no name to own by.
  const isUnnamed = caller.actor === null && plane.state().policy.isAdmin(caller.role);
  const owner = isUnnamed ? undefined : caller;
  const explanation = await plane.traces.explain(id, owner);
  if (explanation === undefined) throw invalidParams(`Resource not found: ${uri}`, { uri });
  return { contents: [{ uri, mimeType: 'application/json', text: exactJson(explanation) }] };
}

function isOurs({ plane }: Incoming['deps']): boolean {
  return !plane.state().config.servers.has(authority);
}
