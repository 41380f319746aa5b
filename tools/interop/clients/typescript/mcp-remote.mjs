// mcp-remote: the bridge from a client over stdio to a server over HTTP. The client is that of the TypeScript SDK 1.32.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { createConnect } from './sdk-v1.mjs';
import { capabilities, runSteps } from './steps.mjs';

const bridge = join(dirname(fileURLToPath(import.meta.resolve('mcp-remote/package.json'))), 'dist/proxy.js');
const route = ({ url }) => ({
  kind: 'stdio',
  command: process.execPath,
  args: [bridge, url, '--allow-http', '--transport', 'http-only'],
});
await runSteps({ connect: createConnect({ Client, StdioClientTransport, types }, { capabilities, route }) });
