// The yardstick of a call over stdio: a bare node:http server that parses a JSON body, writes a `tools/call` to the pipe of
// one server and sends the result back. No policy, no record, no deadline. Arguments: the file of the server, and the tool.
// Prints `listening on PORT`; the server ends with it, by the end of its input.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const [, , file, tool] = process.argv;
const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let nextId = 1;

createInterface({ input: child.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line);
  waiting.get(id)?.(result);
  waiting.delete(id);
});

const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function ask(method, params) {
  const id = nextId++;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const clientInfo = { name: 'bench', version: '0' };
await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
send({ method: 'notifications/initialized' });

const server = createServer(async (request, response) => {
  const { args } = JSON.parse(await text(request));
  const data = await ask('tools/call', { name: tool, arguments: args });
  const body = JSON.stringify({ ok: true, data });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`listening on ${server.address().port}\n`);
