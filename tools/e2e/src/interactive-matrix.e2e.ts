// Questions and progress between every kind of caller and every kind of server: a client of 2025-11-25, one of
// 2026-07-28 and a caller over HTTP, each over a raw server of either era and over server-everything.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { everything, hasItsRoots } from './support/everything.js';
import { asking } from './support/upstreams.js';

const elicited = { action: 'accept', content: { name: 'Ann', check: true } } as const;
const sampled = { role: 'assistant', content: { type: 'text', text: 'Bob says hello' }, model: 'by-hand' } as const;
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 };

interface Call {
  readonly tool: string;
  readonly args: object;
  /** The content of the result. */
  readonly says: string;
}

/** Calls of each server. Names are those of the server. */
const servers: Readonly<Record<string, Readonly<Record<'elicitation' | 'sampling' | 'progress', Call>>>> = {
  legacy: raw(),
  modern: raw(),
  everything: {
    elicitation: { tool: 'trigger-elicitation-request', args: {}, says: 'Name: Ann' },
    sampling: { tool: 'trigger-sampling-request', args: { prompt: 'hi', maxTokens: 10 }, says: 'Bob says hello' },
    progress: { tool: 'trigger-long-running-operation', args: { duration: 0.4, steps: 4 }, says: 'Steps: 4' },
  },
};

function raw() {
  return {
    elicitation: { tool: 'ask', args: {}, says: 'Ann' },
    sampling: { tool: 'ask', args: { method: 'sampling/createMessage', params: sampling }, says: 'Bob says hello' },
    progress: { tool: 'count', args: { to: 4 }, says: '"to":4' },
  };
}

interface Called {
  /** The result, as text. */
  readonly text: string;
  /** Received progress. */
  readonly progress: readonly number[];
}

type Caller = (server: string, call: Call) => Promise<Called>;

let daemon: Daemon;
let mcpUrl: URL;

beforeAll(async () => {
  daemon = await startDaemon({
    mcpServers: { legacy: asking('legacy').server, modern: asking('modern').server, everything },
    mcpHttpServer: { port: 0 },
    mcpExposure: 'native',
  });
  await daemon.connected();
  await hasItsRoots(daemon, 'everything');
  mcpUrl = new URL(daemon.mcpUrl());
});

async function legacyClient(): Promise<Caller> {
  const client = new V1Client({ name: 'old', version: '1' }, { capabilities: { elicitation: {}, sampling: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => elicited);
  client.setRequestHandler(CreateMessageRequestSchema, async () => sampled);
  await client.connect(new V1HttpTransport(mcpUrl) as Parameters<typeof client.connect>[0]);
  onCleanup(() => client.close());
  return async (server, { tool, args }) => {
    const progress: number[] = [];
    const onprogress = ({ progress: value }: { progress: number }) => void progress.push(value);
    const params = { name: `${server}__${tool}`, arguments: { ...args } };
    const result = await client.callTool(params, undefined, { onprogress });
    return { text: JSON.stringify(result), progress };
  };
}

async function modernClient(): Promise<Caller> {
  const client = new Client(
    { name: 'new', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { form: {} }, sampling: {} } },
  );
  client.setRequestHandler('elicitation/create', async () => elicited);
  client.setRequestHandler('sampling/createMessage', async () => sampled);
  await client.connect(new StreamableHTTPClientTransport(mcpUrl));
  onCleanup(() => client.close());
  return async (server, { tool, args }) => {
    const progress: number[] = [];
    const onprogress = ({ progress: value }: { progress: number }) => void progress.push(value);
    const params = { name: `${server}__${tool}`, arguments: { ...args } };
    const result = await client.callTool(params, { onprogress });
    return { text: JSON.stringify(result), progress };
  };
}

interface Interim {
  readonly resultType?: string;
  readonly inputRequests: Readonly<Record<string, { readonly method: string }>>;
  readonly requestState: string;
}

/** Comes back with answers until there is a result. It receives no progress. */
const httpCaller: Caller = async (server, { tool, args }) => {
  let turn = {};
  for (;;) {
    const { status, body } = await daemon.call<Interim>(`${server}.${tool}`, args, turn);
    expect([status, body.error]).toEqual([200, null]);
    if (body.data.resultType !== 'input_required') return { text: JSON.stringify(body.data), progress: [] };
    const answers = Object.entries(body.data.inputRequests).map(([key, { method }]) => [
      key,
      method === 'elicitation/create' ? elicited : sampled,
    ]);
    turn = { request_state: body.data.requestState, input_responses: Object.fromEntries(answers) };
  }
};

const callers: readonly (readonly [string, () => Promise<Caller>])[] = [
  ['a client of 2025-11-25', legacyClient],
  ['a client of 2026-07-28', modernClient],
  ['a caller over HTTP', async () => httpCaller],
];

describe.each(callers)('%s', (name, connect) => {
  let caller: Caller;

  beforeAll(async () => {
    caller = await connect();
  });

  describe.each(Object.entries(servers))('over the server "%s"', (server, calls) => {
    it.each(['elicitation', 'sampling'] as const)('answers a question of %s', async (what) => {
      const { text } = await caller(server, calls[what]);
      expect(text.replaceAll('\\"', '"')).toContain(calls[what].says);
    });

    it('gets progress where it can receive it, and the result', async () => {
      const { text, progress } = await caller(server, calls.progress);
      expect(text.replaceAll('\\"', '"')).toContain(calls.progress.says);
      if (name !== 'a caller over HTTP') expect(progress.slice(0, 3)).toEqual([1, 2, 3]); // a last one may cross the result
    });
  });
});
