// JSON-RPC frames for the MCP facades: valid messages of the methods of both eras, and invalid ones.
import fc from 'fast-check';
import type { JsonSchema } from '../openapi.js';
import { damagedText, type Hints, nearlyValid, validValue } from '../requests/bodies.js';
import { oddText, oddValue, toJsonText } from '../requests/odd.js';

export type Era = 'legacy' | 'modern';

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/** As a client that wants one: an id that an answer must bear. */
export interface Frame {
  readonly text: string;
  /** Undefined if no answer is expected: a notification, an answer, no message at all. */
  readonly owedId?: string | number;
  readonly method?: string;
  readonly name?: string;
}

/** Maximum nesting of arrays and objects in a message, docs/decisions/http-edge.md. */
const maxNesting = 256;
const modernVersion = '2026-07-28';

const id = fc.oneof(
  { weight: 8, arbitrary: fc.oneof(fc.integer({ min: 1, max: 1e6 }), fc.stringMatching(/^[a-z]{1,8}$/)) },
  { weight: 1, arbitrary: fc.constantFrom('', '__proto__', 'x'.repeat(5000), -1, 0, 2 ** 53, '\ud800', '1') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 1.5, 1e300, {}, [], true) },
);

const otherMethods = [
  '',
  '__proto__',
  'constructor',
  'rpc.discover',
  'tools/call/x',
  'TOOLS/LIST',
  'tools',
  'resources/unsubscribe',
  'sampling/createMessage',
  'roots/list',
  'notifications/initialized',
  'x'.repeat(3000),
];

/** Params of every method that is served, and of some that are not. */
function paramsOf(tools: readonly ListedTool[], hints: Hints): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const call = (tool: ListedTool) => {
    const args = validValue(tool.inputSchema, hints);
    return fc.record({ name: fc.constant(tool.name), arguments: fc.oneof(args, args, nearlyValid(args)) });
  };
  const uri = fc.oneof(
    fc.constantFrom('fixture://text', 'portico://one/fixture://text', 'portico://', 'fixture://item/1'),
    oddText,
  );
  const ref = fc.oneof(
    fc.record({ type: fc.constant('ref/prompt'), name: fc.oneof(fc.constantFrom('one__greet', 'x'), oddText) }),
    fc.record({ type: fc.constant('ref/resource'), uri }),
  );
  const cursor = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record({ cursor: oddText }) },
  );
  const taskId = fc.record({ taskId: fc.oneof(fc.constant('task-1'), oddText) });
  return {
    ping: fc.constant({}),
    'tools/list': cursor,
    'resources/list': cursor,
    'resources/templates/list': cursor,
    'prompts/list': cursor,
    'server/discover': fc.constant({}),
    initialize: fc.record({
      protocolVersion: fc.constantFrom('2025-11-25', '2024-11-05', '1.0', ''),
      capabilities: fc.constantFrom({}, { elicitation: {} }, { sampling: {} }),
      clientInfo: fc.record({ name: oddText, version: oddText }),
    }),
    'tools/call': fc.oneof(...tools.map(call), fc.record({ name: oddText, arguments: oddValue })),
    'resources/read': fc.record({ uri }),
    'resources/subscribe': fc.record({ uri }),
    'prompts/get': fc.record({
      name: fc.oneof(fc.constantFrom('one__greet', 'one__plain'), oddText),
      arguments: fc.constantFrom({}, { name: 'x' }, { name: 1 }),
    }),
    'completion/complete': fc.record({ ref, argument: fc.record({ name: oddText, value: oddText }) }),
    'logging/setLevel': fc.record({ level: fc.constantFrom('debug', 'error', 'loud') }),
    'tasks/get': taskId,
    'tasks/cancel': taskId,
    'tasks/result': taskId,
  };
}

export function frames(era: Era, tools: readonly ListedTool[], hints: Hints): fc.Arbitrary<Frame> {
  const known = Object.entries(paramsOf(tools, hints)).map(([method, params]) => fc.tuple(fc.constant(method), params));
  const calls = known.filter((_, index) => index === Object.keys(paramsOf(tools, hints)).indexOf('tools/call'));
  const method = fc.oneof(
    { weight: 3, arbitrary: fc.oneof(...calls) },
    { weight: 5, arbitrary: fc.oneof(...known) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...otherMethods), oddValue),
    },
  );
  const request = fc.tuple(id, method, fc.nat(9)).map(([given, [name, params], twist]) => ({
    jsonrpc: twist === 0 ? '1.0' : '2.0',
    id: given,
    method: name,
    params: era === 'modern' ? withMeta(params, twist) : params,
  }));
  const notice = fc.oneof(
    fc.record({ requestId: id, reason: oddText }).map((params) => ({ method: 'notifications/cancelled', params })),
    fc
      .record({ progressToken: id, progress: oddValue })
      .map((params) => ({ method: 'notifications/progress', params })),
    fc.constantFrom(
      { method: 'notifications/initialized' },
      { method: 'notifications/roots/list_changed' },
      { method: 'notifications/none' },
    ),
    oddValue.map((params) => ({ method: 'notifications/cancelled', params })),
  );
  const answer = fc.oneof(
    fc.tuple(id, oddValue).map(([given, result]) => ({ id: given, result })),
    id.map((given) => ({ id: given, error: { code: 1, message: 'x' } })),
    id.map((given) => ({ id: given, result: {}, error: {} })),
  );
  const message = fc.oneof(
    { weight: 8, arbitrary: request },
    { weight: 1, arbitrary: fc.oneof(notice, answer).map((rest) => ({ jsonrpc: '2.0', ...rest })) },
  );
  return fc.oneof(
    { weight: 12, arbitrary: message.map(toFrame) },
    { weight: 4, arbitrary: nearlyValid(message).map(toFrame) },
    { weight: 1, arbitrary: fc.array(message, { maxLength: 4 }).map(toFrame) },
    { weight: 1, arbitrary: oddValue.map(toFrame) },
    { weight: 1, arbitrary: damagedText(message.map(toJsonText)).map((text) => ({ text })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(20_000, 1_500_000)
        .map((length) => toFrame({ jsonrpc: '2.0', id: 7, method: 'ping', params: { x: 'y'.repeat(length) } })),
    },
  );
}

function withMeta(params: unknown, twist: number): unknown {
  if (typeof params !== 'object' || params === null || Array.isArray(params) || twist === 1) return params;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': twist === 2 ? '2099-01-01' : modernVersion,
    'io.modelcontextprotocol/clientCapabilities': twist === 3 ? [] : {},
    'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
    ...(twist === 4 ? { traceparent: '00-x', progressToken: 1.5 } : {}),
  };
  return { ...params, _meta };
}

/** The expected answer is read from the text, as a server reads it: a name that is there twice counts once. */
function toFrame(message: unknown): Frame {
  const text = toJsonText(message);
  if (depthOf(text) > maxNesting) return { text }; // refused before the id is read
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { text };
  const { jsonrpc, id: given, method, params } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !(typeof given === 'string' || Number.isSafeInteger(given)))
    return { text };
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params))) return { text };
  const { name, uri } = (params ?? {}) as Record<string, unknown>;
  const named = name ?? uri;
  return { text, owedId: given as string | number, method, ...(typeof named === 'string' ? { name: named } : {}) };
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
