// Envelopes as they go over the wire, byte by byte.
import { describe, expect, it } from 'vitest';
import { errorCodes, errorTable } from '../errors.js';
import { parseWith } from '../issues.js';
import {
  envelopeText,
  errorEnvelope,
  errorEnvelopeSchema,
  nothingSent,
  requestContextSchema,
  successEnvelope,
  successEnvelopeSchema,
} from './envelope.js';
import { documentText, readEnvelope } from './read-envelope.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('successEnvelope', () => {
  it('is this JSON', () => {
    const correlation = { requestId: 'r-1', traceId, context: { actor_id: 'agent' } };
    const retry = { classification: 'unsafe', upstream_execution_state: 'completed' } as const;
    expect(JSON.stringify(successEnvelope(correlation, retry, { content: [] }))).toBe(
      `{"ok":true,"request_id":"r-1","trace_id":"${traceId}","context":{"actor_id":"agent"},` +
        '"retry":{"classification":"unsafe","upstream_execution_state":"completed"},"data":{"content":[]},"error":null}',
    );
  });

  it('says null for no request id and leaves out an absent context', () => {
    const envelope = successEnvelope({ requestId: null, traceId }, nothingSent, null);
    expect(envelope).toStrictEqual({
      ok: true,
      request_id: null,
      trace_id: traceId,
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
      data: null,
      error: null,
    });
    expect(parseWith(successEnvelopeSchema, envelope).ok).toBe(true);
  });
});

describe('errorEnvelope', () => {
  it('is this JSON', () => {
    const error = { code: 'UPSTREAM_TIMEOUT', message: 'too slow' } as const;
    expect(JSON.stringify(errorEnvelope({ requestId: null, traceId }, nothingSent, error))).toBe(
      `{"ok":false,"request_id":null,"trace_id":"${traceId}",` +
        '"retry":{"classification":"safe","upstream_execution_state":"not_started"},"data":null,' +
        '"error":{"code":"UPSTREAM_TIMEOUT","message":"too slow","retryable":true}}',
    );
  });

  it.each(errorCodes)('takes whether %s is retryable from the table and shows nothing but the three fields', (code) => {
    const error = Object.assign(new Error('m'), { code });
    const envelope = errorEnvelope({ requestId: null, traceId }, nothingSent, error);
    expect(envelope.error).toStrictEqual({ code, message: 'm', retryable: errorTable[code].retryable });
    expect(parseWith(errorEnvelopeSchema, envelope).ok).toBe(true);
  });
});

describe('requestContextSchema', () => {
  it('takes the four ids, each a text or null, at most 1024 long, and drops what it does not know', () => {
    const ids = { operation_id: 'o', work_item_id: null, actor_id: 'a'.repeat(1024) };
    expect(parseWith(requestContextSchema, { ...ids, other: 1 })).toEqual({ ok: true, value: ids });
    expect(parseWith(requestContextSchema, { grant_id: 'g'.repeat(1025) })).toEqual({
      ok: false,
      issues: [{ path: 'grant_id', message: 'expected a length of <=1024, got 1025' }],
    });
  });
});

describe('envelopeText', () => {
  const context = { actor_id: 'a","data":{"b', operation_id: '\\', work_item_id: '\u2028\ud800' };
  const correlations = [
    { requestId: null, traceId },
    { requestId: '","data":1,"error":null}', traceId, context },
  ];
  const data = { ok: false, data: ',"error":null}', error: { data: null } };

  it.each(correlations)('is the JSON of the envelope, with the text of its data in place', (correlation) => {
    const envelope = successEnvelope(correlation, nothingSent, data);
    expect(envelopeText(envelope, JSON.stringify(data))).toBe(JSON.stringify(envelope));
    expect(envelopeText(envelope, undefined)).toBe(JSON.stringify(envelope));
  });

  it.each(correlations)('is read again, the data to the byte', (correlation) => {
    const envelope = successEnvelope(correlation, nothingSent, data);
    const dataText = '{ "ok":false,"data":",\\"error\\":null}","error":{"data":null} }';
    const read = readEnvelope(envelopeText(envelope, dataText));
    expect(read).toEqual({ envelope, dataText });
    expect(JSON.stringify(read.envelope)).toBe(JSON.stringify(envelope));
  });

  it('has no text of data where it has an error', () => {
    const envelope = errorEnvelope({ requestId: null, traceId }, nothingSent, {
      code: 'UPSTREAM_ERROR',
      message: ',"data":{}',
      rpcError: { code: 1, message: '', data: { ok: true, data: {}, error: null } },
    });
    expect(readEnvelope(envelopeText(envelope, '{}'))).toEqual({ envelope, dataText: undefined });
  });
});

describe('documentText', () => {
  const envelope = successEnvelope({ requestId: null, traceId }, nothingSent, { n: 1 });
  const { envelope: read } = readEnvelope(envelopeText(envelope, '{"n":1.0}'));

  it('keeps the text of data in the envelopes that were read', () => {
    const text = documentText({ ok: true, task: { id: 'a', none: undefined, result: read }, none: undefined });
    const inner = JSON.stringify(envelope).replace('"n":1', '"n":1.0');
    expect(text).toBe(`{"ok":true,"task":{"id":"a","result":${inner}}}`);
  });

  it('is JSON.stringify for every other document', () => {
    const document = {
      ok: true,
      list: [1, { a: [null] }],
      none: undefined,
      text: '\ud800',
      task: { result: envelope },
    };
    expect(documentText(document)).toBe(JSON.stringify(document));
    expect(documentText({ copy: { ...read } })).toBe(JSON.stringify({ copy: envelope }));
    expect(documentText({})).toBe('{}');
  });
});
