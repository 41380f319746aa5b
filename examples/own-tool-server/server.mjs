// An MCP server over stdio with one tool that has an effect: it counts up.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

let count = 0;
const server = new McpServer({ name: 'counter', version: '1.0.0' });
server.registerTool('increase', { description: 'Increases the counter and returns it' }, async () => {
  count += 1;
  return { content: [{ type: 'text', text: String(count) }] };
});
await server.connect(new StdioServerTransport());
