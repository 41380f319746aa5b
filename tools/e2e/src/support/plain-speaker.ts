// A server over HTTP of which a test decides the very text of a message: its tool `line` writes `text` to the event stream
// of the reply, or to the one stream of the older transport, and then its answer.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onCleanup } from './cleanup.js';
import { tool } from './upstreams.js';

interface Asked {
  readonly id?: number;
  /** Answers have none. */
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly text?: string } };
}

/** @param transport `sse` is HTTP+SSE of 2024-11-05 @returns the entry of `mcpServers` */
export async function plainSpeaker(transport: 'http' | 'sse'): Promise<object> {
  let stream: ServerResponse | undefined;
  const say = (to: ServerResponse, data: string) => to.write(`event: message\ndata: ${data}\n\n`);

  const post = (asked: Asked, response: ServerResponse) => {
    if (asked.id === undefined || asked.method === undefined) return void response.writeHead(202).end();
    const to = stream ?? response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (stream !== undefined) response.writeHead(202).end();
    const line = asked.params?.arguments?.text;
    if (line !== undefined) say(to, line);
    say(to, JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: resultOf(asked.method) }));
    if (to === response) response.end();
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const isStream = request.method === 'GET' && transport === 'sse';
    if (isStream) {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    const isPost = request.method === 'POST' && (transport === 'http' || request.url === '/messages');
    if (isPost) post(JSON.parse(await text(request)), response);
    else response.writeHead(405).end();
  };

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, allowStateless: true };
}

function resultOf(method: string): object {
  if (method === 'tools/list') return { tools: [tool('line')] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'answered' }] };
  const serverInfo = { name: 'plain-speaker', version: '1.0.0' };
  return { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo };
}
