// The yardstick of lists: a bare Hono server that holds the bytes of a file and sends them, or a 304 to a client that
// has them. Arguments: the file, and its ETag. Prints `listening on PORT`.
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const [, , file, etag] = process.argv;
const bytes = new Uint8Array(readFileSync(file));
const headers = { ETag: etag, 'Cache-Control': 'no-cache' };

const app = new Hono();
app.get('/list', (c) =>
  c.req.header('If-None-Match') === etag
    ? c.body(null, 304, headers)
    : c.body(bytes, 200, { 'Content-Type': 'application/json', ...headers }),
);
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.stdout.write(`listening on ${port}\n`),
);
