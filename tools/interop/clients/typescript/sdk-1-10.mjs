// TypeScript SDK 1.10: revisions 2024-11-05 and 2025-03-26, without elicitation.
import { Client } from 'sdk-1-10/client/index.js';
import { StdioClientTransport } from 'sdk-1-10/client/stdio.js';
import { StreamableHTTPClientTransport } from 'sdk-1-10/client/streamableHttp.js';
import * as types from 'sdk-1-10/types.js';
import { createConnect } from './sdk-v1.mjs';
import { runSteps } from './steps.mjs';

await runSteps({
  connect: createConnect(
    { Client, StdioClientTransport, StreamableHTTPClientTransport, types },
    { capabilities: { sampling: {}, roots: {} } },
  ),
  lacks: { elicitation: 'it knows no elicitation' },
});
