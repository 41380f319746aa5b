// The yardstick: a bare Hono server that parses a JSON body and sends it back, and reports how long it was on a core.
// Prints `listening on PORT`.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.post('/echo', async (c) => c.json(await c.req.json()));
app.get('/cpu', (c) => c.json(process.cpuUsage()));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.stdout.write(`listening on ${port}\n`),
);
