// The answer to a server that asks for roots: from its caller if that can be asked, else from the configuration.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer, ServerRequest } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { CallClient } from '../call/client.js';
import { type CallInput, connectPlane, tool, traceId } from '../testing/start-plane.js';

const question: ServerRequest = { method: 'roots/list', params: {} };
const elicitation: ServerRequest = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };
const configured: JsonObject = { roots: [{ uri: 'file:///srv/a', name: 'a' }] };
const own: JsonObject = { roots: [{ uri: 'file:///home/ann' }] };
const file = { ...configured };
const ask: CallInput = { kind: 'tool', id: 's.ask' };

/** Asks while the call runs, and answers with the reply. */
const legacy: MemoryServer = {
  definitions: { tools: [tool('ask')] },
  async handle(_request, signal, handler) {
    const replies = await handler?.onServerRequest(question, signal).catch(({ code, message }) => ({ code, message }));
    return { content: [], structuredContent: { replies } as JsonObject };
  },
};

/** Answers with questions first, again as long as any has no answer, and keeps the answers in its state or does not. */
function modern(questions: Readonly<Record<string, ServerRequest>>, keepsAnswers = true): MemoryServer {
  return {
    protocolVersion: '2026-07-28',
    definitions: { tools: [tool('ask')] },
    handle({ params }, _signal, handler) {
      const before = keepsAnswers ? JSON.parse(String(params.requestState ?? '{}')) : {};
      const replies = { ...before, ...(params.inputResponses as JsonObject) };
      const all = Object.entries(questions);
      const missing = all.filter(([key]) => replies[key] === undefined);
      const open = keepsAnswers || missing.length === 0 ? missing : all;
      if (open.length === 0)
        return { content: [], structuredContent: { replies, asks: handler?.capabilities ?? null } };
      const inputRequests = Object.fromEntries(open) as unknown as JsonObject;
      return { resultType: 'input_required', inputRequests, requestState: JSON.stringify(replies) };
    },
  };
}

/** Asks for everything that the request does not answer, and keeps nothing. */
function forgetful(questions: Readonly<Record<string, ServerRequest>>): MemoryServer {
  return {
    protocolVersion: '2026-07-28',
    definitions: { tools: [tool('ask')] },
    handle({ params: { inputResponses } }) {
      const replies = (inputResponses ?? {}) as JsonObject;
      const open = Object.entries(questions).filter(([key]) => replies[key] === undefined);
      if (open.length === 0) return { content: [], structuredContent: { replies } };
      return { resultType: 'input_required', inputRequests: Object.fromEntries(open) as unknown as JsonObject };
    },
  };
}

const dataOf = (envelope: { readonly data: unknown }) => envelope.data as JsonObject; // of an answered call
const answerIn = (envelope: { readonly data: unknown }) => (dataOf(envelope).structuredContent as JsonObject).replies;

const declares: CallClient = { capabilities: { roots: {} }, ask: async () => own };
const declaresNone: CallClient = { capabilities: {} };
const listens: CallClient = { capabilities: {}, ask: () => Promise.reject(new Error('it was asked')) };

describe.each([
  ['that asks while the call runs', legacy, 'q1', (roots: JsonObject) => roots],
  ['that answers with questions', modern({ r: question }), 'r', (roots: JsonObject) => ({ r: roots })],
] as const)('a server %s', (_what, server, key, asAnswered) => {
  it.each<[string, Partial<CallInput>, JsonObject]>([
    ['a caller over HTTP', {}, configured],
    ['a client that declares none', { client: declaresNone }, configured],
    ['a client that declares none and listens', { client: listens }, configured],
    ['a client that declares them', { client: declares }, own],
  ])('has roots of the right side for %s', async (_who, input, roots) => {
    const { execute } = await connectPlane({ s: server }, file);
    expect(answerIn(await execute({ ...ask, ...input }))).toEqual(asAnswered(roots));
  });

  it('is an empty list without configured roots', async () => {
    const { execute } = await connectPlane({ s: server });
    expect(answerIn(await execute(ask))).toEqual(asAnswered({ roots: [] }));
  });

  it('asks a caller over HTTP that accepts the question', async () => {
    const { execute } = await connectPlane({ s: server }, file);
    const asking: CallInput = { ...ask, acceptsRoots: true };
    const data = dataOf(await execute(asking));
    expect(data).toMatchObject({ resultType: 'input_required', inputRequests: { [key]: { method: 'roots/list' } } });
    const turn = { requestState: String(data.requestState), inputResponses: { [key]: own } };
    expect(answerIn(await execute({ ...asking, ...turn }))).toEqual(asAnswered(own));
  });
});

it('are as configured when the question comes', async () => {
  const { plane, server } = await connectPlane({ s: legacy }, file);
  expect(await server('s').ask(question)).toEqual(configured);
  expect(plane.servers()[0]).not.toHaveProperty('refused_requests');
});

it('are not sent to a server to which they were not declared', async () => {
  const mcpServers = { s: { command: 'x', clientCapabilities: { roots: false } } };
  const { execute, server } = await connectPlane({ s: legacy }, { ...file, mcpServers });
  const refused = { code: -32601, message: 'Method not found: roots/list: this client does not declare roots' };
  expect(answerIn(await execute({ ...ask, client: declares }))).toEqual(refused);
  await expect(server('s').ask(question)).rejects.toMatchObject(refused);
});

it('are announced to a server of 2026-07-28 for a client that declares none, also where there are none', async () => {
  const asks = async (configuration: object, client: CallClient) => {
    const { execute } = await connectPlane({ s: modern({}) }, configuration);
    return (dataOf(await execute({ ...ask, client })).structuredContent as JsonObject).asks;
  };
  expect(await asks(file, declaresNone)).toEqual({ roots: {} });
  expect(await asks({}, declaresNone)).toEqual({ roots: {} });
  expect(await asks(file, { capabilities: { sampling: {}, roots: { x: 1 } } })).toEqual({
    sampling: {},
    roots: { x: 1 },
  });
});

describe('beside another question of a server that answers with questions', () => {
  const answer: JsonObject = { action: 'accept', content: {} };
  const both = { r: question, who: elicitation };

  /** A server that keeps answers in its state, and one that needs all of them at once. */
  const servers = [
    ['that keeps answers', modern(both)],
    ['that keeps nothing', modern(both, false)],
    ['that keeps nothing and asks for what is missing', forgetful(both)],
  ] as const;

  it.each(servers)('reach a server %s with the answers of a caller over HTTP', async (_what, asking) => {
    const { execute, server } = await connectPlane({ s: asking }, file);
    const data = dataOf(await execute(ask));
    expect(data.inputRequests).toEqual({ who: elicitation });
    const turn = { requestState: String(data.requestState), inputResponses: { who: answer } };
    expect(answerIn(await execute({ ...ask, ...turn }))).toEqual({ r: configured, who: answer });
    expect(server('s').requests()).toHaveLength(2);
  });

  it.each(servers)('reach a server %s with the answers of a client that comes back', async (_what, asking) => {
    const { execute } = await connectPlane({ s: asking }, file);
    const client: CallClient = { capabilities: { elicitation: { form: {} } } };
    const data = dataOf(await execute({ ...ask, client }));
    const turn = { requestState: String(data.requestState), inputResponses: { who: answer } };
    expect(answerIn(await execute({ ...ask, client, ...turn }))).toEqual({ r: configured, who: answer });
  });

  it('are not waited for where the client cannot answer the rest', async () => {
    const { execute } = await connectPlane({ s: modern(both) }, file);
    const { error } = await execute({ ...ask, client: declaresNone });
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', message: expect.stringContaining('elicitation/create') });
  });

  it('end with the call if it is cancelled in between', async () => {
    const { execute, plane } = await connectPlane({ s: modern(both) }, file);
    const correlation = { requestId: 'r', traceId };
    const data = dataOf(await execute({ ...ask, correlation }));
    expect(await plane.cancel('local', 'r')).toBe(true);
    const turn = { requestState: String(data.requestState), inputResponses: { who: answer } };
    expect((await execute({ ...ask, ...turn })).error?.code).toBe('INVALID_ARGS');
  });
});

it('are limited in number', async () => {
  const again: MemoryServer = {
    protocolVersion: '2026-07-28',
    definitions: { tools: [tool('ask')] },
    handle: () => ({ resultType: 'input_required', inputRequests: { r: { ...question } } as unknown as JsonObject }),
  };
  const { execute, server } = await connectPlane({ s: again }, file);
  expect(dataOf(await execute(ask)).resultType).toBe('input_required');
  expect(server('s').requests()).toHaveLength(17);
});

it('leave the outcome of a call unknown whose server is lost between two rounds', async () => {
  const server: MemoryServer = {
    ...modern({ r: question }),
    handle: () => {
      started.server('s').drop('it crashed');
      return { resultType: 'input_required', inputRequests: { r: { ...question } } as unknown as JsonObject };
    },
  };
  const started = await connectPlane({ s: server }, file);
  const { error, retry } = await started.execute(ask);
  expect([error?.code, retry.upstream_execution_state]).toEqual(['SERVER_UNREACHABLE', 'unknown']);
});
