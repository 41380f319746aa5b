// The questions that a caller supports: an MCP client by its declared capabilities, a caller over HTTP by its requests.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { canAnswer, type ServerRequest } from '@portico/upstream-pool';
import type { Call } from '../call/call.js';
import type { CallClient } from '../call/client.js';

/** A caller over HTTP answers any question by repeating the call. */
export const anythingGoes: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

export function capabilitiesOf(client: CallClient | undefined): JsonObject {
  return client?.capabilities ?? anythingGoes;
}

/** Whether the question is put to the caller. One over HTTP is asked for roots only where its request says so. */
export function isAsked(
  { client, acceptsRoots }: Pick<Call, 'client' | 'acceptsRoots'>,
  question: ServerRequest,
): boolean {
  if (client === undefined && question.method === 'roots/list') return acceptsRoots === true;
  return canAnswer(capabilitiesOf(client), question);
}

/** The capabilities of a client for a server of 2026-07-28, which asks for roots only if they are declared. */
export function withConfiguredRoots(capabilities: JsonObject): JsonObject {
  return isJsonObject(capabilities.roots) ? capabilities : { ...capabilities, roots: {} };
}
