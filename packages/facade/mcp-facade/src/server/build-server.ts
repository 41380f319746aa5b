// One server object of the SDK for one connection. The SDK speaks the protocol of both eras; what is answered comes from
// here, past its schemas, because they would drop and reorder what an upstream said.
import { McpServer, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { type JsonObject, tasksExtension, uiCapability } from '@portico/contracts';
import type { CallSource } from '@portico/control-plane';
import type { Viewer } from '@portico/policy-engine';
import { anything } from '../calls/anything.js';
import { type Connection, withSource } from '../calls/connection.js';
import type { Surface } from '../catalog/surface.js';
import type { McpFacadeDeps } from '../deps.js';
import { answer, methods } from './methods.js';

export type SurfaceOf = (viewer: Viewer) => Surface;

/** Methods that need a permanent connection. */
export type SessionMethods = Readonly<Record<string, (params: JsonObject) => Promise<JsonObject> | JsonObject>>;

export interface ServerInput {
  readonly deps: McpFacadeDeps;
  readonly surfaceOf: SurfaceOf;
  readonly connection: Connection;
  readonly sessionMethods?: SessionMethods;
  /**
   * Called with the envelope of each request that the SDK has let through: from then on its era is settled. Gives who
   * sends it, where the envelope says so.
   */
  readonly onRequest?: (envelope: JsonObject | undefined) => CallSource | undefined;
}

const changing = { listChanged: true };
const capabilities = {
  tools: changing,
  resources: { ...changing, subscribe: true },
  prompts: changing,
  completions: {},
  logging: {},
};
/** Extensions of every revision: hosts of 2025-11-25 declare MCP Apps as well. */
const extensions = { ...uiCapability };
const modernExtensions = { ...extensions, [tasksExtension]: {} };

const instructions =
  'Portico stands in front of several MCP servers. Find what they offer with capability_search, read the arguments of ' +
  'one with capability_describe, and call it with capability_call.';

export function serverInfoOf({ version }: McpFacadeDeps) {
  return { name: 'portico', title: 'Portico', version };
}

/** Answers every request to it; see `answersMethod` for which ones those are. */
export function buildServer(input: ServerInput): McpServer {
  const mcp = new PlaneServer(input);
  mcp.server.fallbackRequestHandler = (request, context) => respond(input, request, context);
  if (input.connection.era === 'modern') {
    // 2025-11-25 has other methods of these names, which the SDK would take them for.
    for (const method of ['tasks/get', 'tasks/cancel']) {
      mcp.server.setRequestHandler(
        method,
        { params: anything },
        (params, context) => respond(input, { method, params: params as Request['params'] }, context), // as the message had them
      );
    }
  }
  return mcp;
}

/** Answers what the SDK answers by itself, and refuses every other method as unknown. */
export function buildBareServer(input: ServerInput): McpServer {
  return new PlaneServer(input);
}

export function answersMethod(method: string | null): boolean {
  return method !== null && Object.hasOwn(methods, method);
}

class PlaneServer extends McpServer {
  readonly #input: ServerInput;

  constructor(input: ServerInput) {
    super(serverInfoOf(input.deps), { instructions });
    this.#input = input;
    // Declared only now: the SDK would otherwise answer for tools, resources and prompts that were registered with it.
    const isModern = input.connection.era === 'modern';
    this.server.registerCapabilities({ ...capabilities, extensions: isModern ? modernExtensions : extensions });
    this.server.removeRequestHandler('logging/setLevel');
  }

  /** Arguments that a client repeats in headers are checked against the body (MCP 2026-07-28, `x-mcp-header`). */
  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    const { surfaceOf, connection } = this.#input;
    const schema = surfaceOf(connection.caller).tools().get(name)?.definition.inputSchema;
    return typeof schema === 'object' && schema !== null ? { ...schema } : undefined;
  }
}

type Request = Pick<Parameters<NonNullable<Server['fallbackRequestHandler']>>[0], 'method' | 'params'>;

async function respond(input: ServerInput, { method, params }: Request, context: ServerContext) {
  const { deps, surfaceOf, connection, sessionMethods = {} } = input;
  const source = input.onRequest?.(context.mcpReq.envelope as unknown as JsonObject | undefined); // JSON, as the whole message is
  const own = Object.hasOwn(sessionMethods, method) ? sessionMethods[method] : undefined;
  if (own !== undefined) return { ...(await own((params ?? {}) as JsonObject)) }; // JSON, as the message was
  return answer(method, params, context, { deps, connection: withSource(connection, source), surfaceOf });
}
