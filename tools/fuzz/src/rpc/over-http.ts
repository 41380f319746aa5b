// Frames against the streamable HTTP listener, in sessions of 2025-11-25 and as requests of 2026-07-28.
import fc from 'fast-check';
import { type Ran, type RunOptions, runProperty } from '../finding.js';
import { limitMs } from '../fuzz-http.js';
import { Hang, type HttpCase, sendCase, toCurl } from '../http.js';
import { headerText } from '../requests/odd.js';
import type { World } from '../world.js';
import { eventsOf } from './events-of.js';
import { type Era, type Frame, frames, type ListedTool } from './frames.js';
import { createRpcJudge, type RpcJudge, type RpcMessage } from './judge.js';

const statuses = [200, 202, 400, 401, 403, 404, 405, 406, 413, 415, 431];
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

interface RpcCase {
  readonly frame: Frame;
  readonly http: HttpCase;
}

export async function fuzzRpcOverHttp(
  world: World,
  era: Era,
  { seed, runs }: RunOptions,
): Promise<Ran & { readonly what: string }> {
  const origin = new URL(world.service.mcpUrl).origin;
  const sessions = era === 'legacy' ? await Promise.all([openSession(origin), openSession(origin)]) : [];
  const tools = await listTools(origin, sessions[0] ?? (await openSession(origin)));
  const judge = createRpcJudge(tools);
  const what = `mcp over http, ${era}`;
  const cases = fc
    .tuple(frames(era, tools, world.hints.body), oddHeaders(era, sessions), fc.nat(11))
    .map(([frame, odd, twist]) => ({ frame, http: toHttp(era, frame, odd, sessions[twist % 2], twist) }));
  const ran = await runProperty(
    what,
    cases,
    (one) => problemOf(origin, judge, one),
    ({ http }) => toCurl(origin, http),
    { seed, runs },
  );
  return { what, ...ran };
}

function oddHeaders(era: Era, sessions: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> {
  const odd = fc.record(
    {
      accept: fc.constantFrom('application/json', 'text/event-stream', 'text/html', ''),
      'content-type': fc.constantFrom('text/plain', 'application/json; charset=latin1', ''),
      'mcp-protocol-version': fc.constantFrom('2025-11-25', '2026-07-28', '1', ''),
      'mcp-session-id': fc.oneof(fc.constantFrom('none', ...sessions), headerText),
      'mcp-method': fc.constantFrom('tools/list', 'tools/call', ''),
      'mcp-name': headerText,
      'last-event-id': headerText,
      traceparent: headerText,
      origin: fc.constantFrom('null', 'https://evil.example'),
      'x-service-profile': fc.constantFrom('half', 'none', ''),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  return fc.oneof({ weight: era === 'modern' ? 5 : 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: odd });
}

function toHttp(
  era: Era,
  { text, method, name }: Frame,
  odd: Readonly<Record<string, string>>,
  session: string | undefined,
  twist: number,
): HttpCase {
  const isPlain = (value: string) => /^[\x20-\x7e]*$/.test(value);
  const ofEra: Record<string, string> =
    era === 'legacy'
      ? { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': session ?? '' }
      : {
          'mcp-protocol-version': '2026-07-28',
          ...(method !== undefined && isPlain(method) ? { 'mcp-method': method } : {}),
          ...(name !== undefined && isPlain(name) && name.length < 2000 ? { 'mcp-name': name } : {}),
        };
  const headers = { ...json, ...ofEra, ...odd };
  // A session that is ended here would leave the others nothing to talk to.
  const httpMethod = twist === 11 ? 'GET' : twist === 10 && odd['mcp-session-id'] === 'none' ? 'DELETE' : 'POST';
  const target = twist === 9 ? '/' : twist === 8 ? '/mcp?profile=half' : '/mcp';
  return { method: httpMethod, target, headers, ...(httpMethod === 'POST' ? { body: text } : {}) };
}

async function problemOf(origin: string, judge: RpcJudge, { frame, http }: RpcCase): Promise<string | undefined> {
  try {
    const { status, contentType, text } = await sendCase(origin, http, limitMs);
    if (!statuses.includes(status)) return `status ${status}: ${text.slice(0, 300)}`;
    if (http.method === 'GET' && contentType === 'text/event-stream') return undefined; // left at once
    if (status === 202 || text === '') return problemOfSilence(status, frame, http);
    const messages =
      contentType === 'text/event-stream'
        ? eventsOf(text)
        : contentType === 'application/json'
          ? whole(text)
          : undefined;
    if (messages === undefined) return `an answer of type "${contentType}" that cannot be read: ${text.slice(0, 200)}`;
    const problems = messages.flatMap((message) => judge.problemsOf(message));
    if (problems.length > 0) return `${problems.join('; ')}: ${text.slice(0, 300)}`;
    return http.method === 'POST'
      ? problemOfAnswer(judge, status, frame, messages as readonly RpcMessage[])
      : undefined;
  } catch (error) {
    return error instanceof Hang ? error.message : `no answer: ${error}`;
  }
}

function problemOfSilence(status: number, { owedId }: Frame, { method }: HttpCase): string | undefined {
  if (method !== 'POST') return undefined;
  if (status !== 202) return `${status} with nothing in it`;
  return owedId === undefined ? undefined : `202 to the request ${JSON.stringify(owedId)}`;
}

function problemOfAnswer(
  judge: RpcJudge,
  status: number,
  { owedId, method, name }: Frame,
  messages: readonly RpcMessage[],
): string | undefined {
  if (owedId === undefined || method === 'subscriptions/listen') return undefined;
  const answers = messages.filter((message) => message.method === undefined);
  const own = answers.filter(({ id }) => id === owedId || (status >= 400 && id === null));
  if (own.length !== 1)
    return `${own.length} answers to the request ${JSON.stringify(owedId).slice(0, 50)} under ${status}`;
  const [answer] = own;
  if (status >= 400 && answer?.error === undefined) return `a result under ${status}`;
  return method === 'tools/call' && answer !== undefined ? judge.problemsOfCall(name, answer)[0] : undefined;
}

function whole(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return undefined;
  }
}

async function openSession(origin: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };
  const { headers, text } = await rpc(origin, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const session = headers['mcp-session-id'];
  if (typeof session !== 'string') throw new Error(`no session: ${text}`);
  await rpc(origin, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  return session;
}

async function listTools(origin: string, session: string): Promise<readonly ListedTool[]> {
  const { text } = await rpc(origin, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, session);
  return JSON.parse(text).result.tools;
}

function rpc(origin: string, message: object, session?: string) {
  const headers = { ...json, ...(session === undefined ? {} : { 'mcp-session-id': session }) };
  return sendCase(origin, { method: 'POST', target: '/mcp', headers, body: JSON.stringify(message) }, limitMs);
}
