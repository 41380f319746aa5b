// `prompts/get` by alias or `<server>__<name>`.
import type { JsonObject } from '@portico/contracts';
import { isKnownTo } from '@portico/control-plane';
import { invalidParams, requestFailure } from '../calls/failures.js';
import { correlationOf, frameOf, type Incoming } from '../calls/incoming.js';
import { toResult } from '../calls/results.js';
import { idOfNative } from '../catalog/unlisted.js';
import { objectParam, textParam } from './params.js';

export async function getPrompt(incoming: Incoming): Promise<JsonObject> {
  const id = promptId(incoming, textParam(incoming.params, 'name'));
  const args = objectParam(incoming.params, 'arguments');
  const { end, ...frame } = frameOf(incoming);
  const { envelope } = await incoming.deps.plane
    .execute({ kind: 'prompt', id, args, correlation: correlationOf(incoming), idempotencyKey: null, ...frame })
    .finally(end);
  if (!envelope.ok) throw requestFailure(incoming.connection.era, envelope);
  const server = incoming.deps.plane.state().catalog.findPrompt(id)?.server;
  return toResult(incoming, envelope.data, server);
}

/** An id. What is not listed may be there all the same; see `unlisted.ts`. @throws ProtocolError -32602 */
export function promptId({ deps, connection, surface }: Incoming, name: string): string {
  const listed = surface.prompts().get(name);
  if (listed !== undefined) return listed.id;
  const state = deps.plane.state();
  const unlisted = state.config.aliases.prompt.has(name) ? name : idOfNative(state, 'prompt', name);
  if (unlisted !== undefined && isKnownTo(state, connection.caller, 'prompt', unlisted)) return unlisted;
  throw invalidParams(`Unknown prompt: ${name}`);
}
