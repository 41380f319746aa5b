import { describe, expect, it } from 'vitest';
import { HttpFailure } from './failures.js';
import { statusFailure } from './http-status.js';

const place = 'http://host/mcp';
const failureOf = (status: number, { body = '', hadSession = true, isLive = true } = {}) =>
  statusFailure({ status, body, place, hadSession, isLive });

describe('a status other than 2xx on a live session', () => {
  it.each([400, 405, 413, 415, 422, 429])('is an answer of a server that is there: %i', (status) => {
    expect(failureOf(status, { body: 'no' })).toMatchObject({
      message: `${place} refused the request with HTTP ${status}`,
      detail: { kind: 'rejected', error: { code: -32603 } },
    });
  });

  it.each([401, 403, 407, 408, 500, 502, 503])('counts against the server: %i', (status) => {
    expect(failureOf(status)).toMatchObject({ status, detail: { kind: 'unreachable' } });
  });

  it('is an HttpFailure with its status before the handshake is over, for negotiation to judge by', () => {
    const failure = failureOf(400, { isLive: false, hadSession: false });
    expect(failure).toBeInstanceOf(HttpFailure);
    expect(failure).toMatchObject({ status: 400, message: `HTTP 400 from ${place}`, detail: { kind: 'unreachable' } });
  });
});

describe('a session that the server has forgotten', () => {
  it.each([
    [404, ''],
    [400, 'Session not found'],
    [400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}'],
    [400, 'session 12-34 has expired'],
    [400, 'Invalid session ID'],
  ])('is known by %i %s', (status, body) => {
    expect(failureOf(status, { body })).toMatchObject({ endsSession: true, detail: { sent: false } });
  });

  it.each(['the session field is required', 'Missing argument: session. The unit is invalid.', 'possession unknown'])(
    'is not seen in another fault that speaks of sessions: %s',
    (body) => {
      expect(failureOf(400, { body })).toMatchObject({ detail: { kind: 'rejected' } });
    },
  );

  it('needs a session', () => {
    expect(failureOf(404, { hadSession: false })).toMatchObject({ detail: { kind: 'rejected' } });
  });
});
