// A stdio MCP server that tries to block its client. Argument: the JSON file with its tools. The name of a tool decides
// what a call returns; `storm` redefines all of them again and again for three seconds.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { tools } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const nest = (depth) => '['.repeat(depth) + ']'.repeat(depth);
const rows = Array.from({ length: 400 }, (_, at) => ({
  at,
  list: Array.from({ length: 50 }, (_, item) => ({ item, text: 'ab'.repeat(20) })),
}));
const names = (count, from = 0) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${from + at}`, at]));
const results = {
  large_text: text('x'.repeat(10_000_000)),
  large_json: { ...text('{}'), structuredContent: { rows: Array.from({ length: 8 }, () => rows) } },
  deep_json: { ...text('{}'), structuredContent: { deep: JSON.parse(nest(900)) } },
  deep_text: text(nest(500_000)),
  rows: { ...text(JSON.stringify(rows)), structuredContent: { rows } },
  secrets: text('password=hunter2 '.repeat(100_000)),
  secret_keys: text('"token":"\\"'.repeat(150_000)),
  bearers: text('bearer '.repeat(250_000)),
};
/** Texts of results, for what `JSON.stringify` would not write so, or takes long to write. */
const texts = Object.fromEntries(
  Object.entries({
    flat_names: () => JSON.stringify(names(400_000)),
    nested_names: () => JSON.stringify(Array.from({ length: 20_000 }, (_, at) => names(19, at * 19))),
    long_number: () => '9'.repeat(20_000_000),
    white_space: () => `1${' '.repeat(50_000_000)}`,
    most_names: () => JSON.stringify(names(99_000)),
    too_many_escapes: () => `"${'\\n'.repeat(30_000_000)}"`,
    too_many_quotes: () => `"${'\\"a'.repeat(20_000_000)}"`,
    most_quotes: () => `"${'\\"aaaa'.repeat(9_900_000)}"`,
    most_code_units: () => `"${'\\u0041'.repeat(9_900_000)}"`,
    most_lines: () => `"${`${'x'.repeat(40)}\\n`.repeat(1_400_000)}"`,
  }).map(([name, of]) => {
    let made;
    return [name, () => (made ??= `{"content":[],"structuredContent":{"a":${of()}}}`)];
  }),
);
let version = 0;
let stormsUntil = 0;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function storm() {
  version += 1;
  write({ method: 'notifications/tools/list_changed' });
  if (Date.now() < stormsUntil) setTimeout(storm, 5);
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'hostile', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: tools.map((tool) => ({ ...tool, description: `${tool.description ?? ''} ${version}` })),
  }),
  'tools/call'({ name }) {
    if (name === 'storm' && Date.now() >= stormsUntil) {
      stormsUntil = Date.now() + 3000;
      storm();
    }
    return results[name] ?? text('ok');
  },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    if (Object.hasOwn(texts, params.name)) {
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${texts[params.name]()}}\n`);
      return;
    }
    const answer = Object.hasOwn(methods, method)
      ? { result: methods[method](params) }
      : { error: { code: -32601, message: `Method not found: ${method}` } };
    write({ id, ...answer });
  })
  .on('close', () => process.exit(0));
