// The yardstick of HTTP upstreams: one hop of Hono that parses a JSON body, sends a raw `tools/call` by node:http over
// kept-alive connections, parses the reply and sends its result back. No SDK, no session kept but the one it opens.
// Arguments: the upstream's port, and the tool. Prints `listening on PORT`.
import { Agent, request } from 'node:http';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const [, , upstreamPort, tool] = process.argv;
const agent = new Agent({ keepAlive: true });
const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
let nextId = 1;

function send(message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const options = { agent, port: upstreamPort, path: '/mcp', method: 'POST' };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } });
    outgoing.on('error', reject);
    outgoing.on('response', (reply) => {
      const chunks = [];
      reply.on('data', (chunk) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => resolve({ headers: reply.headers, text: Buffer.concat(chunks).toString('utf8') }));
    });
    outgoing.end(body);
  });
}

const clientInfo = { name: 'bench', version: '0' };
const opened = await send({
  id: nextId++,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
});
headers['Mcp-Session-Id'] = opened.headers['mcp-session-id'];
headers['MCP-Protocol-Version'] = '2025-11-25';
await send({ method: 'notifications/initialized' });

const app = new Hono();
app.post('/call', async (c) => {
  const { args } = await c.req.json();
  const { text } = await send({ id: nextId++, method: 'tools/call', params: { name: tool, arguments: args } });
  return c.json({ ok: true, data: JSON.parse(text).result });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.stdout.write(`listening on ${port}\n`),
);
