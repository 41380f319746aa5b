// MCP clients of both eras that ask their users: each calls the tool `pay`, and answers questions as the test says.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onCleanup } from './cleanup.js';

export interface Asked {
  readonly message: string;
  readonly decisions: readonly string[];
}
export type Answer = () => Promise<{ action: 'accept'; content: Record<string, string> }>;
type Connect = (url: URL, answer: Answer) => Promise<{ call(args: object): Promise<string>; readonly asked: Asked[] }>;

export const approve: Answer = async () => ({ action: 'accept', content: { decision: 'approve' } });
const toAsked = (params: { message: string; requestedSchema?: unknown }): Asked => {
  const schema = params.requestedSchema as { properties: { decision: { enum: string[] } } };
  return { message: params.message, decisions: schema.properties.decision.enum };
};

export const legacy: Connect = async (url, answer) => {
  const asked: Asked[] = [];
  const client = new V1Client({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(toAsked(params as { message: string; requestedSchema: unknown }));
    return answer();
  });
  await client.connect(new V1HttpTransport(url) as Parameters<typeof client.connect>[0]);
  onCleanup(() => client.close());
  const call = async (args: object) => JSON.stringify(await client.callTool({ name: 'pay', arguments: { ...args } }));
  return { asked, call };
};

export const modern: Connect = async (url, answer) => {
  const asked: Asked[] = [];
  const versionNegotiation = { mode: { pin: '2026-07-28' } } as const;
  const client = new Client(
    { name: 'new', version: '1' },
    { versionNegotiation, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(toAsked(params as { message: string; requestedSchema: unknown }));
    return answer();
  });
  await client.connect(new StreamableHTTPClientTransport(url));
  onCleanup(() => client.close());
  const call = async (args: object) => JSON.stringify(await client.callTool({ name: 'pay', arguments: { ...args } }));
  return { asked, call };
};

export const eras = [
  ['2025-11-25', legacy],
  ['2026-07-28', modern],
] as const;
