// The yardstick: a bare Hono server that parses a JSON body and sends it back. Prints `listening on PORT`.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.post('/echo', async (c) => c.json(await c.req.json()));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.stdout.write(`listening on ${port}\n`),
);
