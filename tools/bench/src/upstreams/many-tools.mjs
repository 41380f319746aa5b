// A stdio MCP server with many tools of real wording, and nothing behind them. Arguments: the JSON file of real tools
// that they are made from, how many, and the number of the first, so that several of these list different tools.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , file, countText, firstText] = process.argv;
const { tools: samples } = JSON.parse(readFileSync(file, 'utf8'));
const perPage = 500;
const tools = Array.from({ length: Number(countText) }, (_, index) => {
  const number = Number(firstText) + index;
  const { name, description, input_schema = {} } = samples[number % samples.length];
  return { name: `${name}_${number}`, description, inputSchema: { type: 'object', ...input_schema } };
});

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'many-tools', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list'({ cursor = '0' }) {
    const next = Number(cursor) + perPage;
    const page = tools.slice(Number(cursor), next);
    return { tools: page, ...(next < tools.length ? { nextCursor: String(next) } : {}) };
  },
  'tools/call': () => ({ content: [{ type: 'text', text: 'ok' }] }),
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    const answer = Object.hasOwn(methods, method)
      ? { result: methods[method](params) }
      : { error: { code: -32601, message: `Method not found: ${method}` } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  })
  .on('close', () => process.exit(0));
