// TypeScript SDK 1.32: revision 2025-11-25.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { createConnect } from './sdk-v1.mjs';
import { capabilities, runSteps } from './steps.mjs';

const sdk = { Client, StdioClientTransport, StreamableHTTPClientTransport, types };
await runSteps({ connect: createConnect(sdk, { capabilities }) });
