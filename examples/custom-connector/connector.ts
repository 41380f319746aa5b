// Tools that are functions of this program, as sessions of one server.
import { type JsonObject, type UpstreamConnector, UpstreamFailure, type UpstreamSession } from '@portico/host';

export interface OwnTool {
  readonly description: string;
  /** JSON Schema of the arguments, checked before `run` is called. */
  readonly inputSchema: JsonObject;
  run(args: JsonObject): Promise<string>;
}

/** @param tools by name */
export function createToolConnector(tools: Readonly<Record<string, OwnTool>>): UpstreamConnector {
  return { connect: async () => openSession(tools) };
}

function openSession(tools: Readonly<Record<string, OwnTool>>): UpstreamSession {
  const definitions = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema,
  }));
  return {
    protocolVersion: '2025-11-25',
    request({ method, params }, _signal, _handler, settle) {
      const { name, arguments: args = {} } = params as { readonly name?: string; readonly arguments?: JsonObject };
      const tool = method === 'tools/call' && name !== undefined ? tools[name] : undefined;
      if (tool === undefined) return settle.reject(rpcError(-32601, `there is no ${method} of ${name}`));
      tool.run(args).then(
        (text) => settle.resolve({ content: [{ type: 'text', text }] }),
        (error: unknown) => settle.resolve({ content: [{ type: 'text', text: String(error) }], isError: true }),
      );
    },
    discover: async () => ({ tools: definitions, resources: [], resourceTemplates: [], prompts: [] }),
    checkHealth: async () => {},
    watchResources: async () => {},
    close: async () => {},
  };
}

function rpcError(code: number, message: string): UpstreamFailure {
  return new UpstreamFailure(message, { kind: 'rejected', error: { code, message } });
}
