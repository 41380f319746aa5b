// The client against an app that replaces the service: the requests that leave, and the result of each kind of answer.
import { errorEnvelope, nothingSent, parseExact, routes, writeExact } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createClient } from './client.js';
import { ApiError, UnexpectedAnswerError, UnreachableError } from './errors.js';

function clientBefore(answer: (url: string, init: RequestInit) => Response | Promise<Response>) {
  const sent: { url: string; init: RequestInit }[] = [];
  const client = createClient({
    baseUrl: 'http://127.0.0.1:9090/',
    token: 'T',
    profile: 'reading',
    fetch: async (url, init) => {
      sent.push({ url, init });
      return answer(url, init);
    },
  });
  return { client, sent };
}

test('every route of the table is a function of the client, but for pages', () => {
  const { client } = clientBefore(() => Response.json({}));
  const forPrograms = routes.filter(({ mediaTypes }) => mediaTypes?.includes('text/html') !== true);
  expect(Object.keys(client).sort()).toEqual(forPrograms.map(({ operationId }) => operationId).sort());
});

test('ids are one encoded segment, queries leave out what is not given, and credentials go along', async () => {
  const { client, sent } = clientBefore(() => Response.json({ ok: true }));
  await client.describeCapability('a.b/c?d');
  await client.listAuditEvents({ limit: 2, q: 'x y', status: undefined });
  expect(sent.map(({ url }) => url)).toEqual([
    'http://127.0.0.1:9090/v1/capabilities/a.b%2Fc%3Fd',
    'http://127.0.0.1:9090/v1/audit/events?limit=2&q=x+y',
  ]);
  expect(sent[0]?.init).toEqual({
    method: 'GET',
    headers: { Authorization: 'Bearer T', 'X-Service-Profile': 'reading' },
  });
});

test('numbers that a double cannot hold leave and arrive as they are', async () => {
  const exact = '{"id":1098765432109876543,"n":1e400,"in":[1.0,{"zero":-0.0}]}';
  const { client, sent } = clientBefore(() => new Response(`{"ok":true,"approval":{"args":${exact}}}`));
  const { approval } = await client.getApproval('appr-1-1');
  expect(writeExact(approval.args)).toBe(exact);
  await client.approve('appr-1-1', { operator: 'ada', modified_args: parseExact(exact) });
  expect(sent[1]?.init.body).toBe(`{"operator":"ada","modified_args":${exact}}`);
});

test('a call carries its key, its request id and its preferences as headers', async () => {
  const { client, sent } = clientBefore(() => Response.json({ ok: true }));
  await client.callTool(
    { capability_id: 'a.b', args: { n: 1 } },
    { idempotencyKey: 'k', requestId: 'r', waitSecs: 5, respondAsync: true },
  );
  expect(sent[0]?.init).toEqual({
    method: 'POST',
    headers: {
      Authorization: 'Bearer T',
      'X-Service-Profile': 'reading',
      'Content-Type': 'application/json',
      'Idempotency-Key': 'k',
      'X-Request-ID': 'r',
      Prefer: 'wait=5, respond-async',
    },
    body: '{"capability_id":"a.b","args":{"n":1}}',
  });
});

const pending = errorEnvelope({ requestId: null, traceId: 'a'.repeat(32) }, nothingSent, {
  code: 'APPROVAL_PENDING',
  message: 'waits for a person',
  approvalId: 'appr-1-1',
});

test.each([202, 403])('an ErrorEnvelope under %i is thrown with its code and its ticket', async (status) => {
  const { client } = clientBefore(() => Response.json(pending, { status }));
  const error = await client.callTool({ capability_id: 'a.b', args: {} }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status, code: 'APPROVAL_PENDING', approvalId: 'appr-1-1', envelope: pending });
});

test('a task that was accepted is an answer', async () => {
  const task = { ok: true, data: { resultType: 'task' } };
  const { client } = clientBefore(() => Response.json(task, { status: 202 }));
  await expect(client.callTool({ capability_id: 'a.b', args: {} })).resolves.toEqual(task);
});

test('an unreachable address is reported with the address and the reason', async () => {
  const { client } = clientBefore(() => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9090') });
  });
  const error = await client.getHealth().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnreachableError);
  expect(error).toHaveProperty('message', 'no answer from http://127.0.0.1:9090: connect ECONNREFUSED 127.0.0.1:9090');
});

test('another program at the address is not taken for Portico', async () => {
  const { client } = clientBefore(() => new Response('<html>', { status: 404 }));
  await expect(client.listServers()).rejects.toBeInstanceOf(UnexpectedAnswerError);
  const page = clientBefore(() => new Response('<html>'));
  await expect(page.client.listServers()).rejects.toBeInstanceOf(UnexpectedAnswerError);
});

test('an abort rejects with its own reason', async () => {
  const { client } = clientBefore((_url, init) => {
    throw init.signal?.reason;
  });
  const reason = new Error('enough');
  await expect(client.getHealth({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

function streamOf(...texts: readonly string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(texts.map((text) => new TextEncoder().encode(text)));
}

test('updates come message by message, wherever the network cuts them', async () => {
  const text =
    ': hello\n\nid: 7\nevent: catalog_changed\ndata: {"added":["é"]}\n\nid: 8\nevent: resource_updated\ndata: {}\n\n';
  const { client, sent } = clientBefore(() => new Response(streamOf(...text)));
  const messages: unknown[] = [];
  const onOpen = () => messages.push('open');
  for await (const message of client.streamUpdates({ lastEventId: '6', onOpen })) messages.push(message);
  expect(messages).toEqual([
    'open',
    { id: '7', event: 'catalog_changed', data: { added: ['é'] } },
    { id: '8', event: 'resource_updated', data: {} },
  ]);
  expect(sent[0]?.init.headers).toMatchObject({ 'Last-Event-ID': '6' });
});

test('a stream that is no longer read is closed', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('{"seq":1}\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  const { client } = clientBefore(() => new Response(body));
  for await (const text of client.exportAudit({ format: 'jsonl' })) {
    expect(text).toBe('{"seq":1}\n');
    break;
  }
  expect(isCancelled).toBe(true);
});

test('a connection that breaks in the middle of an answer does not count as an answer of another program', async () => {
  const broken = () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('socket hang up')) });
    return new Response(body);
  };
  await expect(clientBefore(broken).client.listServers()).rejects.toBeInstanceOf(UnreachableError);
});
