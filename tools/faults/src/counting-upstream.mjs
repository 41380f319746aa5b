// A raw MCP server over stdio that leaves a durable line for each execution before it answers, so that others can count
// them. It deduplicates nothing itself, and does not end by itself when its client does.
//
//   node counting-upstream.mjs JOURNAL [flags]
//     JOURNAL          one line of JSON for each execution: { key, pid }; written and synced before the answer
//     --stubborn       ignore SIGTERM
//     --exit-after MS  exit that long after `initialize`, also during calls
//     --lives FILE     one line of JSON at each start and each exit: { event, pid, epochMs }
//
// Tools: `count {key, ms}` and `gated {key, ms}`; both write the key down, wait for ms milliseconds, and answer.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [journal, ...flags] = process.argv.slice(2);
const flagValue = (flag) => (flags.includes(flag) ? flags[flags.indexOf(flag) + 1] : undefined);
const exitAfterMs = flagValue('--exit-after');
const lives = flagValue('--lives');

const inputSchema = {
  type: 'object',
  properties: { key: { type: 'string' }, ms: { type: 'integer', minimum: 0 } },
  required: ['key', 'ms'],
};
const tools = ['count', 'gated'].map((name) => ({ name, inputSchema }));

if (lives !== undefined) {
  process.on('exit', () => append(lives, { event: 'exit', pid: process.pid, epochMs: Date.now() }));
  append(lives, { event: 'start', pid: process.pid, epochMs: Date.now() });
}
if (flags.includes('--stubborn')) process.on('SIGTERM', () => {});
setInterval(() => {}, 60_000); // the end of stdin is no reason to end
process.stdout.on('error', () => {}); // the client may be gone

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const write = (rest) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...rest })}\n`);
  switch (method) {
    case 'initialize':
      if (exitAfterMs !== undefined) setTimeout(() => process.exit(1), Number(exitAfterMs));
      return write({
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'counting-upstream', version: '1.0.0' },
        },
      });
    case 'ping':
      return write({ result: {} });
    case 'tools/list':
      return write({ result: { tools } });
    case 'tools/call': {
      const { key, ms } = params.arguments;
      append(journal, { key, pid: process.pid });
      const result = { content: [{ type: 'text', text: key }], structuredContent: { key, pid: process.pid } };
      return ms === 0 ? write({ result }) : setTimeout(write, ms, { result });
    }
    default:
      return write({ error: { code: -32601, message: `Method not found: ${method}` } });
  }
});

/** One write of one short line, so that lines of several processes do not mix. */
function append(file, value) {
  const descriptor = openSync(file, 'a');
  try {
    writeSync(descriptor, `${JSON.stringify(value)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
