// Requests that a client can answer, by the capabilities that it declares (MCP, `ClientCapabilities`).
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

/** Without a mode a capability means forms, the only mode before 2025-11-25. */
export function canElicit({ elicitation }: JsonObject, mode: ElicitationMode): boolean {
  if (!isJsonObject(elicitation)) return false;
  if (mode === 'url') return isJsonObject(elicitation.url);
  return isJsonObject(elicitation.form) || elicitation.url === undefined;
}

/** Capabilities that a client has to declare to be asked this. */
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

/** The capabilities of a caller, reduced to those of `declared`. */
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
