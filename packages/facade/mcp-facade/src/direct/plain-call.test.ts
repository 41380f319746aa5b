// Tests which calls are served without the SDK, and how they are answered.
import type { JsonObject } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createKnownEnvelopes } from './known-envelopes.js';
import { toPlainCall } from './plain-call.js';

const call = (params: JsonObject): JsonObject => ({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params });
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '2' },
  'io.modelcontextprotocol/clientCapabilities': { roots: {} },
};
const none = createKnownEnvelopes('mcp-http');
const known = createKnownEnvelopes('mcp-http');
const source = known.add(envelope);

test('takes a call of a session as it is', () => {
  const params = { name: 'x', arguments: { a: 1 }, _meta: { progressToken: 1, mine: true } };

  expect(toPlainCall(call(params), 'legacy', none)).toEqual({
    id: 'a',
    params,
    meta: params._meta,
    envelope: undefined,
  });
});

test('takes the envelope out of a call of 2026-07-28, its members in any order', () => {
  const [version, info, capabilities] = Object.entries(envelope);
  const _meta = Object.fromEntries([['progressToken', 't'], capabilities ?? [], info ?? [], version ?? []]);

  expect(toPlainCall(call({ name: 'x', _meta }), 'modern', known)).toEqual({
    id: 'a',
    params: { name: 'x', _meta: { progressToken: 't' } },
    meta: { progressToken: 't' },
    envelope,
    source,
  });
  expect(toPlainCall(call({ name: 'x', _meta: { ...envelope } }), 'modern', known)).toEqual({
    id: 'a',
    params: { name: 'x' },
    meta: undefined,
    envelope,
    source,
  });
});

test('leaves a call of 2026-07-28 whose envelope the SDK has not let through', () => {
  expect(toPlainCall(call({ name: 'x', _meta: envelope }), 'modern', none)).toBeUndefined();
  expect(toPlainCall(call({ name: 'x' }), 'modern', known)).toBeUndefined();
  const more = { ...envelope, 'io.modelcontextprotocol/logLevel': 'error' };
  expect(toPlainCall(call({ name: 'x', _meta: more }), 'modern', known)).toBeUndefined();
});

test('remembers no more than two hundred envelopes, and none that is long', () => {
  const many = createKnownEnvelopes('mcp-http');
  many.add({ long: 'x'.repeat(5000) });
  for (let n = 0; n < 201; n += 1) many.add({ n });

  expect(many.sourceOf({ long: 'x'.repeat(5000) })).toBeUndefined();
  expect([many.sourceOf({ n: 199 }), many.sourceOf({ n: 200 })]).toEqual([expect.anything(), undefined]);
});

test('an envelope says who sends it', () => {
  expect(source.named).toEqual({ channel: 'mcp-http', client: { name: 'agent', version: '2' } });
  expect(known.add({ ...envelope })).toBe(source);
});
