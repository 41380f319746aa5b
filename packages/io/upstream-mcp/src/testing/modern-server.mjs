// A server built with the SDK's own McpServer: over stdio in both eras, over HTTP in 2026-07-28 only.
import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const anything = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
  },
};

function build() {
  const info = { name: 'sdk-server', version: '1.0.0' };
  const mcp = new McpServer(info, { capabilities: { tools: { listChanged: true } } });
  mcp.registerTool('greet', { description: 'Greets', inputSchema: anything }, async () => ({
    content: [{ type: 'text', text: 'hello' }],
    structuredContent: { any: ['value', 1] },
  }));
  mcp.registerTool('wait', { description: 'Waits', inputSchema: anything }, (_args, { mcpReq: { signal } }) => {
    process.stderr.write('waiting\n');
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        process.stderr.write('cancelled\n');
        reject(new Error('cancelled'));
      });
    });
  });
  return mcp;
}

if (process.argv[2] === 'stdio') serveStdio(() => build());
else serveHttp();

function serveHttp() {
  const handler = createMcpHandler(() => build(), { legacy: 'reject' });
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await handler.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: request.method,
        headers: request.headers,
        signal: gone.signal,
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    const reader = answer.body?.getReader();
    response.on('close', () => reader?.cancel());
    for (let part = await reader?.read(); part && !part.done; part = await reader.read()) response.write(part.value);
    response.end();
  });
  server.listen(0, '127.0.0.1', () => process.stderr.write(`listening on ${server.address().port}\n`));
}
