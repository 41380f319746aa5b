// `prompts/get` by alias or `<server>__<name>`.
import type { JsonObject } from '@portico/contracts';
import { type AskedName, isKnownTo } from '@portico/control-plane';
import { invalidParams, requestFailure } from '../calls/failures.js';
import { correlationOf, frameOf, type Incoming } from '../calls/incoming.js';
import { exactData, toResult } from '../calls/results.js';
import { whenKnown } from '../calls/when-known.js';
import { idOfNative } from '../catalog/unlisted.js';
import { objectParam, textParam } from './params.js';

export async function getPrompt(incoming: Incoming): Promise<JsonObject> {
  const name = textParam(incoming.params, 'name');
  return whenKnown(
    incoming,
    () => [askedPrompt(incoming, name)],
    (known) => getKnownPrompt(known, name),
  );
}

async function getKnownPrompt(incoming: Incoming, name: string): Promise<JsonObject> {
  const id = promptId(incoming, name);
  const args = objectParam(incoming.params, 'arguments');
  const { end, ...frame } = frameOf(incoming);
  const { envelope, dataText } = await incoming.deps.plane
    .execute({ kind: 'prompt', id, args, correlation: correlationOf(incoming), idempotencyKey: null, ...frame })
    .finally(end);
  if (!envelope.ok) throw requestFailure(incoming.connection.era, envelope);
  const server = incoming.deps.plane.state().catalog.findPrompt(id)?.server;
  return toResult(incoming, exactData({ data: envelope.data, dataText }), server);
}

/** The name by which the plane may find it, whether or not it exists. */
export function askedPrompt(incoming: Incoming, name: string): AskedName {
  return { kind: 'prompt', id: incoming.surface.prompts().get(name)?.id ?? unlistedId(incoming, name) ?? name };
}

function unlistedId({ deps }: Incoming, name: string): string | undefined {
  const state = deps.plane.state();
  return state.config.aliases.prompt.has(name) ? name : idOfNative(state, 'prompt', name);
}

/**
 * The id of a prompt. A prompt that is not listed may exist nevertheless; see `unlisted.ts`. @throws ProtocolError
 * -32602
 */
export function promptId(incoming: Incoming, name: string): string {
  const { deps, connection, surface } = incoming;
  const listed = surface.prompts().get(name);
  if (listed !== undefined) return listed.id;
  const unlisted = unlistedId(incoming, name);
  if (unlisted !== undefined && isKnownTo(deps.plane.state(), connection.caller, 'prompt', unlisted)) return unlisted;
  throw invalidParams(`Unknown prompt: ${name}`);
}
