// What a side of a conversation can be asked, by the capabilities that it declares (MCP, `ClientCapabilities`).
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { ServerRequest } from './session.js';

type ElicitationMode = 'form' | 'url';

/** Whether a client with these MCP capabilities can answer a request of a server. */
export function canAnswer(capabilities: JsonObject, { method, params }: ServerRequest): boolean {
  switch (method) {
    case 'roots/list':
      return isJsonObject(capabilities.roots);
    case 'sampling/createMessage':
      return isJsonObject(capabilities.sampling);
    case 'elicitation/create':
      return canElicit(capabilities, modeOf(params));
  }
}

/** Without a mode a capability stands for forms, which is all there was before 2025-11-25. */
export function canElicit({ elicitation }: JsonObject, mode: ElicitationMode): boolean {
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
      return { elicitation: { [modeOf(params)]: {} } };
  }
}

function modeOf({ mode }: JsonObject): ElicitationMode {
  return mode === 'url' ? 'url' : 'form';
}

/** What is left of the capabilities of a caller for a server to which only those of `declared` are declared. */
export function withinDeclared(capabilities: JsonObject, declared: JsonObject): JsonObject {
  const { elicitation, sampling, roots, ...others } = capabilities;
  const modes = (['form', 'url'] as const).filter((mode) => canElicit(capabilities, mode) && canElicit(declared, mode));
  const own = isJsonObject(elicitation) ? elicitation : {};
  return {
    ...others,
    ...(modes.length === 0 ? {} : { elicitation: Object.fromEntries(modes.map((mode) => [mode, own[mode] ?? {}])) }),
    ...(sampling === undefined || declared.sampling === undefined ? {} : { sampling }),
    ...(roots === undefined || declared.roots === undefined ? {} : { roots }),
  };
}
