// Receivers of notices about tickets, and test messages to them.
import { noticeTestRequestSchema } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export function addNoticeRoutes(app: Hono, { notices }: ControlPlane): void {
  app.get('/v1/notices', () =>
    send(JSON.stringify({ ok: true, link_base: notices.linkBase(), receivers: notices.list() }), 200),
  );

  app.post('/v1/notices/test', async (c) => {
    const { name } = await readBody(exchangeOf(c), noticeTestRequestSchema);
    const trials = await notices.test(name ?? undefined);
    return send(JSON.stringify({ ok: true, trials }), 200);
  });
}
