// The methods of the MCP server. Everything goes through the control plane; upstream data passes unchanged.
import { ProtocolError, ProtocolErrorCode, type Result } from '@modelcontextprotocol/server';
import { catalogTtlMs, isJsonObject, type JsonObject } from '@portico/contracts';
import type { About } from '../calls/first-wait.js';
import type { Incoming } from '../calls/incoming.js';
import type { RequestContext } from '../calls/request-context.js';
import { whenKnown } from '../calls/when-known.js';
import { listResources, listTemplates } from '../catalog/resource-uris.js';
import { listedTools } from '../catalog/tool-table.js';
import { callTool } from './call-tool.js';
import { complete } from './complete.js';
import { getPrompt } from './get-prompt.js';
import { checkCursor } from './params.js';
import { readResource } from './read-resource.js';
import { cancelTask, getTask, updateTask } from './tasks.js';

type Method = (incoming: Incoming) => Promise<JsonObject> | JsonObject;

/** Methods for every client. Methods of a session are defined with the session. */
export const methods: Readonly<Record<string, Method>> = {
  'tools/list': list(
    'tools',
    ({ surface }) => [...surface.tools().values()].map(({ definition }) => definition),
    ({ deps }) => listedTools(deps.plane.state()),
  ),
  'resources/list': list('resources', ({ surface }) => listResources(surface.view)),
  'resources/templates/list': list('resourceTemplates', ({ surface }) => listTemplates(surface.view)),
  'prompts/list': list('prompts', ({ surface }) => [...surface.prompts().values()].map(({ definition }) => definition)),
  'tools/call': callTool,
  'resources/read': readResource,
  'prompts/get': getPrompt,
  'completion/complete': complete,
  'tasks/get': ofModern(getTask),
  'tasks/update': ofModern(updateTask),
  'tasks/cancel': ofModern(cancelTask),
};

/** Clients of 2025-11-25 have other methods of these names. */
function ofModern(method: Method): Method {
  return (incoming) => {
    if (incoming.connection.era === 'legacy') throw methodNotFound();
    return method(incoming);
  };
}

/** The whole list is one page, so there is no cursor that we gave. */
function list(
  name: string,
  entries: (incoming: Incoming) => readonly JsonObject[],
  about: (incoming: Incoming) => About = () => 'everything',
): Method {
  const toPage = (incoming: Incoming): JsonObject => {
    const { cacheScope } = incoming.surface.view;
    const caching = incoming.connection.era === 'modern' ? { ttlMs: catalogTtlMs, cacheScope } : {};
    return { [name]: entries(incoming), ...caching };
  };
  return (incoming) => {
    checkCursor(incoming.params);
    return whenKnown(incoming, () => about(incoming), toPage);
  };
}

function methodNotFound(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
}

/** @throws ProtocolError -32601 for an unknown method */
export async function answer(
  method: string,
  given: unknown,
  context: RequestContext,
  rest: Omit<Incoming, 'params' | 'context' | 'surface'>,
): Promise<Result> {
  const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (run === undefined) throw methodNotFound();
  const params = isJsonObject(given) ? given : {};
  const result = await run({ ...rest, surface: rest.surfaceOf(rest.connection.caller), params, context });
  return result as unknown as Result; // the era's codec adds what its wire wants; JSON otherwise
}
