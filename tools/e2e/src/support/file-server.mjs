// A raw MCP server over stdio that serves files as many servers do: `fileURLToPath(new URL(uri))`, and nothing else checked.
//
//   node file-server.mjs JOURNAL    JOURNAL gets one line for each path that it has read
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [journal] = process.argv.slice(2);

createInterface({ input: process.stdin, crlfDelay: Infinity })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params ?? {}) })}\n`);
  })
  .on('close', () => process.exit(0));

function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { resources: {} },
          serverInfo: { name: 'files', version: '1' },
        },
      };
    case 'resources/list':
      return { result: { resources: [] } };
    case 'resources/templates/list':
      return { result: { resourceTemplates: [{ uriTemplate: 'file://{+path}', name: 'any file' }] } };
    case 'resources/read':
      return read(params.uri);
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

function read(uri) {
  try {
    const path = fileURLToPath(new URL(uri));
    const text = readFileSync(path, 'utf8');
    appendFileSync(journal, `${path}\n`);
    return { result: { contents: [{ uri, text }] } };
  } catch (error) {
    return { error: { code: -32002, message: error.message } };
  }
}
