// An MCP server with faults on request. No SDK, builtins only.
//
//   node chaos-upstream.mjs FOLDER NAME [--port N]     over stdio; over HTTP with a port (0 for any), which it prints
//     FOLDER/executions.jsonl   one line for each execution, written before it is answered: { key, server, pid }
//     FOLDER/NAME.faults        a line is a fault to begin now: { fault, ms }; those from before its start are over
//
// Tools: count {key, ms} and gated {key, ms} leave a line of the key, wait, and answer; plain {text}; big {bytes}; some come
// and go. Faults: crash; hang (reads and answers nothing); mute (answers nothing); errors (answers with errors);
// flood_stderr, flood_stdout; malformed (lines and bodies that are no messages); change (another list, and says so).
import { appendFileSync, closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, name, , port] = process.argv.slice(2);
const faults = join(folder, `${name}.faults`);
const isHttp = port !== undefined;
let read = existsSync(faults) ? statSync(faults).size : 0;
let muteUntil = 0;
let errorsUntil = 0;
let malformedLeft = 0;
let version = 0;

const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const text = (value, rest = {}) => ({ content: [{ type: 'text', text: value }], ...rest });
const write = (message) => process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
const notify = (method, params) => !isHttp && write({ jsonrpc: '2.0', method, ...(params && { params }) });

function tools() {
  const counted = object({ key: { type: 'string' }, ms: { type: 'integer', minimum: 0 } });
  const extra = Array.from({ length: version % 4 }, (_, n) => ({ name: `extra_${n}`, inputSchema: object({}) }));
  return [
    { name: 'count', description: `Counts a key. Version ${version}.`, inputSchema: counted },
    { name: 'gated', description: 'Counts a key that a person has agreed to.', inputSchema: counted },
    { name: 'plain', description: 'Returns a text.', inputSchema: object({ text: { type: 'string' } }) },
    { name: 'big', description: 'Returns much.', inputSchema: object({ bytes: { type: 'integer' } }) },
    ...extra,
  ];
}

class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

async function answer(method, params = {}) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {}, logging: {} },
        serverInfo: { name: 'chaos', version: '1.0.0' },
      };
    case 'ping':
    case 'logging/setLevel':
      return {};
    case 'tools/list':
      return { tools: tools() };
    case 'resources/list':
      return { resources: [{ uri: 'soak://state', name: 'state' }] };
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    case 'prompts/list':
      return { prompts: [{ name: 'say', arguments: [{ name: 'what' }] }] };
    case 'resources/read':
      return { contents: [{ uri: params.uri, text: `version ${version}` }] };
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: params.arguments?.what ?? 'hello' } }] };
    case 'completion/complete':
      return { completion: { values: [`${params.argument.value}!`], total: 1, hasMore: false } };
    case 'tools/call':
      return call(params.name, params.arguments ?? {});
    default:
      throw new RpcError(-32601, `Method not found: ${method}`);
  }
}

async function call(tool, args) {
  if (Date.now() < errorsUntil) throw new RpcError(-32000, 'out of order');
  switch (tool) {
    case 'count':
    case 'gated':
      appendFileSync(
        join(folder, 'executions.jsonl'),
        `${JSON.stringify({ key: args.key, server: name, pid: process.pid })}\n`,
      );
      if (args.ms > 0) await new Promise((resolve) => setTimeout(resolve, args.ms));
      return text(args.key, { structuredContent: { key: args.key } });
    case 'plain':
      return text(args.text);
    case 'big':
      return text('x'.repeat(args.bytes));
    default:
      if (tools().some((known) => known.name === tool)) return text('extra');
      throw new RpcError(-32602, `Unknown tool: ${tool}`);
  }
}

/** The answer to a message; undefined if there is none. */
async function receive({ id, method, params }) {
  if (id === undefined || method === undefined) return undefined;
  const reply = await answer(method, params).then(
    (result) => ({ jsonrpc: '2.0', id, result }),
    ({ code = -32603, message }) => ({ jsonrpc: '2.0', id, error: { code, message } }),
  );
  return Date.now() < muteUntil && method !== 'initialize' ? undefined : reply;
}

const nonsense = [
  '{"jsonrpc":',
  'null',
  '[]',
  '"text"',
  '{"jsonrpc":"2.0","id":999999,"result":{}}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","method":7}',
  '\u0000\ufffd',
  '['.repeat(2000),
  'x'.repeat(1_000_000),
];

function begin({ fault, ms = 0 }) {
  switch (fault) {
    case 'crash':
      return process.exit(1);
    case 'hang':
      return void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    case 'mute':
      muteUntil = Date.now() + ms;
      return undefined;
    case 'errors':
      errorsUntil = Date.now() + ms;
      return undefined;
    case 'flood_stderr':
      return void process.stderr.write(`${'y'.repeat(200)}\n`.repeat(5000));
    case 'flood_stdout':
      for (let n = 0; n < 3000; n += 1) notify('notifications/message', { level: 'debug', data: `line ${n}` });
      return undefined;
    case 'malformed':
      if (!isHttp) for (const line of nonsense) write(line);
      malformedLeft = 3;
      return undefined;
    case 'change':
      version += 1;
      return notify('notifications/tools/list_changed');
  }
}

function lookForFaults() {
  const size = existsSync(faults) ? statSync(faults).size : 0;
  if (size <= read) return;
  const bytes = Buffer.alloc(size - read);
  const file = openSync(faults, 'r');
  readSync(file, bytes, 0, bytes.length, read);
  closeSync(file);
  read = size;
  for (const line of bytes.toString('utf8').split('\n').slice(0, -1)) begin(JSON.parse(line));
}

setInterval(lookForFaults, 50);
process.stdout.on('error', () => process.exit(0)); // the client has gone

if (isHttp) {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const reply = await receive(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    if (reply === undefined) return Date.now() < muteUntil ? undefined : response.writeHead(202).end();
    if (malformedLeft > 0) {
      malformedLeft -= 1;
      return response
        .writeHead(200, { 'content-type': ['application/json', 'text/html', 'text/event-stream'][malformedLeft] })
        .end('<p>{"jsonrpc":');
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  server.on('error', () => process.exit(1));
  server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`listening on ${server.address().port}\n`));
} else {
  createInterface({ input: process.stdin, crlfDelay: Infinity })
    .on('line', async (line) => {
      const reply = await receive(JSON.parse(line));
      if (reply !== undefined) write(reply);
    })
    .on('close', () => process.exit(0));
}
