// @ai-sdk/mcp: the client of the Vercel AI SDK. Its tools are called as a model would call them.
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { clientInfo, runSteps } from './steps.mjs';

await runSteps({
  connect,
  lacks: {
    sampling: 'it answers no sampling',
    roots: 'it answers no roots',
    progress: 'it hands no progress on',
    cancel: 'it drops the call and does not notify the server',
  },
});

async function connect(target, asked) {
  const client = await createMCPClient({
    transport:
      target.kind === 'stdio'
        ? new StdioTransport({ command: target.command, args: target.args, stderr: 'ignore' })
        : { type: 'http', url: target.url },
    capabilities: { elicitation: {} },
    clientName: clientInfo.name,
  });
  client.onElicitationRequest(ElicitationRequestSchema, ({ method, params }) => asked(method, params));
  return {
    tools: async () => (await client.listTools()).tools,
    async call(name, args) {
      const tool = (await client.tools())[name];
      return tool.execute(args, { toolCallId: '1', messages: [] });
    },
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    prompts: async () => (await client.experimental_listPrompts()).prompts,
    prompt: (name, args) => client.experimental_getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}
