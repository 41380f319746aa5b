// What a caller can be asked, by the capabilities that it declares (MCP, client capabilities).
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { ServerRequest } from '@portico/upstream-pool';
import type { CallClient } from '../call/client.js';

/** A caller over HTTP answers by repeating the call, whatever it was asked. */
export const anythingGoes: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

export function capabilitiesOf(client: CallClient | undefined): JsonObject {
  return client?.capabilities ?? anythingGoes;
}

export function canAnswer(capabilities: JsonObject, { method, params }: ServerRequest): boolean {
  switch (method) {
    case 'roots/list':
      return isJsonObject(capabilities.roots);
    case 'sampling/createMessage':
      return isJsonObject(capabilities.sampling);
    case 'elicitation/create':
      return canElicit(capabilities, params.mode === 'url' ? 'url' : 'form');
  }
}

/** Without a mode a capability stands for forms, which is all there was before 2025-11-25. */
export function canElicit({ elicitation }: JsonObject, mode: 'form' | 'url'): boolean {
  if (!isJsonObject(elicitation)) return false;
  if (mode === 'url') return isJsonObject(elicitation.url);
  return isJsonObject(elicitation.form) || elicitation.url === undefined;
}

/** What a client has to declare to be asked this. */
export function capabilityFor({ method, params }: ServerRequest): JsonObject {
  switch (method) {
    case 'roots/list':
      return { roots: {} };
    case 'sampling/createMessage':
      return { sampling: {} };
    case 'elicitation/create':
      return { elicitation: params.mode === 'url' ? { url: {} } : { form: {} } };
  }
}
