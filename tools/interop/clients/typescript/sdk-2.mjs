// TypeScript SDK 2: revision 2026-07-28 where the server has it.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { capabilities, clientInfo, runSteps } from './steps.mjs';

await runSteps({ connect });

async function connect(target, asked) {
  const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: 'auto' } });
  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
    client.setRequestHandler(method, ({ params }) => asked(method, params));
  }
  await client.connect(
    target.kind === 'stdio'
      ? new StdioClientTransport({ command: target.command, args: target.args, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(target.url)),
  );
  return {
    tools: async () => (await client.listTools()).tools,
    call: (name, args, { onProgress, signal } = {}) =>
      client.callTool(
        { name, arguments: args },
        {
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
          ...(signal === undefined ? {} : { signal }),
        },
      ),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}
