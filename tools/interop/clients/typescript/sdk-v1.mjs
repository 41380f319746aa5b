// Clients of the TypeScript SDK 1.x, which read and write the same in every version.
import { clientInfo } from './steps.mjs';

/**
 * @param {object} sdk modules of one version
 * @param {object} [options]
 * @param {object} [options.capabilities] what the client declares
 * @param {(target: object) => object} [options.route] the target to connect to, where that is a program in between
 */
export function createConnect(sdk, { capabilities, route = (target) => target }) {
  const { Client, StdioClientTransport, StreamableHTTPClientTransport, types } = sdk;
  const schemas = {
    elicitation: types.ElicitRequestSchema,
    sampling: types.CreateMessageRequestSchema,
    roots: types.ListRootsRequestSchema,
  };

  return async (wanted, asked) => {
    const client = new Client(clientInfo, { capabilities });
    for (const name of Object.keys(capabilities)) {
      client.setRequestHandler(schemas[name], ({ method, params }) => asked(method, params));
    }
    const target = route(wanted);
    const transport =
      target.kind === 'stdio'
        ? new StdioClientTransport({ command: target.command, args: target.args, stderr: 'ignore' })
        : new StreamableHTTPClientTransport(new URL(target.url));
    await client.connect(transport);
    return createSession(client, types);
  };
}

function createSession(client, types) {
  const all = async (list, field) => {
    const items = [];
    let cursor;
    do {
      const page = await list(cursor === undefined ? {} : { cursor });
      items.push(...page[field]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return items;
  };
  return {
    tools: () => all((params) => client.listTools(params), 'tools'),
    call: (name, args, { onProgress, signal } = {}) =>
      client.callTool({ name, arguments: args }, types.CallToolResultSchema, {
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        ...(signal === undefined ? {} : { signal }),
      }),
    resources: () => all((params) => client.listResources(params), 'resources'),
    templates: () => all((params) => client.listResourceTemplates(params), 'resourceTemplates'),
    read: (uri) => client.readResource({ uri }),
    prompts: () => all((params) => client.listPrompts(params), 'prompts'),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}
