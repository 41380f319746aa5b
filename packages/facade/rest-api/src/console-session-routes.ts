// How the web console comes to a session where administration needs the operator token: by a code that works once, so
// that no token is ever in an address.
import { consoleSessionRequestSchema } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import type { ConsoleSessions } from './access.js';
import { answerRefusal, send, toResponse } from './answer.js';
import { headerCorrelation, readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface ConsoleSessionDeps {
  readonly plane: Pick<ControlPlane, 'accessRefused'>;
  readonly randomHex: (characters: number) => string;
  readonly sessions: ConsoleSessions | undefined;
}

export function addConsoleSessionRoutes(app: Hono, { plane, randomHex, sessions }: ConsoleSessionDeps): void {
  const refuse = async (c: Context): Promise<Response> => {
    const x = exchangeOf(c);
    const correlation = headerCorrelation(x, randomHex);
    const request = { correlation, method: x.method, path: x.path, httpStatus: 401, reason: badCode };
    await plane.accessRefused(request).catch(() => {}); // the answer is the same without its record
    return toResponse(answerRefusal(correlation, { code: 'POLICY_DENIED', status: 401, message: badCode, headers }));
  };

  app.post('/v1/console/codes', () => {
    const made = sessions?.issueCode() ?? null;
    const expires_at = made === null ? null : new Date(made.expiresAtMs).toISOString();
    return send(JSON.stringify({ ok: true, code: made?.code ?? null, expires_at }), 200);
  });

  app.post('/v1/console/sessions', async (c) => {
    const { code } = await readBody(exchangeOf(c), consoleSessionRequestSchema);
    const session = await sessions?.openSession(code, exchangeOf(c).connection);
    if (session === undefined) return refuse(c);
    const expires_at = new Date(session.expiresAtMs).toISOString();
    return send(JSON.stringify({ ok: true, token: session.token, expires_at }), 200);
  });
}

const badCode = 'the code is not known, was used before, or is over; portico ui makes another';
const headers = { 'WWW-Authenticate': 'Bearer realm="portico"' };
