// The audit log: what was recorded, whether it is whole, and all of it as a file.
import { type AuditRecord, csvHeader, csvRow, recordLine } from '@portico/audit-chain';
import { documentText, gatherExact, PorticoError } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { respond, send } from './answer.js';
import { auditFilterOf, oneOf } from './audit-query.js';
import { pageOf } from './paging.js';

export function addAuditRoutes(app: Hono, { audit }: ControlPlane): void {
  app.get('/v1/audit/events', async (c) => {
    const page = pageOf(c);
    const found = await audit.list(auditFilterOf(c), page);
    const events = gatherExact([...found.events]); // numbers of arguments as they were sent
    return send(documentText({ ok: true, ...found, events, ...page }), 200);
  });

  app.get('/v1/audit/events/:id', async (c) => {
    const id = c.req.param('id');
    const event = await audit.get(id);
    if (event === undefined) throw new PorticoError('RESOURCE_NOT_FOUND', `no audit event "${id}"`);
    return send(documentText({ ok: true, event }), 200);
  });

  app.get('/v1/audit/verify', async () => send(JSON.stringify({ ok: true, report: await audit.verify() }), 200));

  app.get('/v1/audit/stats', async () => {
    const stats = await audit.stats();
    return send(JSON.stringify({ ok: true, durable: !audit.isVolatile, ...stats }), 200);
  });

  app.get('/v1/audit/export', async (c) => {
    const format = oneOf(c, 'format', ['jsonl', 'csv', 'checkpoints']) ?? 'jsonl';
    const filter = auditFilterOf(c);
    if (format !== 'checkpoints') return answerAll(c, formats[format], audit.records(filter));
    if (Object.values(filter).some((condition) => condition !== undefined))
      throw new PorticoError('INVALID_ARGS', 'query format: checkpoints are of the whole log; leave the filters out');
    return answerAll(c, checkpointFormat, audit.checkpoints());
  });
}

interface Format<T> {
  readonly mediaType: string;
  readonly fileName: string;
  readonly begin: string;
  readonly toText: (item: T) => string;
}

const formats: Readonly<Record<'jsonl' | 'csv', Format<AuditRecord>>> = {
  jsonl: {
    mediaType: 'application/x-ndjson',
    fileName: 'portico-audit.jsonl',
    begin: '',
    toText: (record) => `${recordLine(record)}\n`,
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    fileName: 'portico-audit.csv',
    begin: `${csvHeader}\r\n`,
    toText: (record) => `${csvRow(record)}\r\n`,
  },
};

/** The program that verifies an exported log with a public key, offline. */
const checkpointFormat: Format<string> = {
  mediaType: 'application/x-ndjson',
  fileName: 'portico-audit.jsonl.checkpoints',
  begin: '',
  toText: (line) => `${line}\n`,
};

async function answerAll<T>(c: Context, format: Format<T>, found: AsyncIterable<T>): Promise<Response> {
  const headers = {
    'Content-Type': format.mediaType,
    'Content-Disposition': `attachment; filename="${format.fileName}"`,
    'Cache-Control': 'no-store',
  };
  if (isHead(c)) return respond(null, 200, headers);
  const items = found[Symbol.asyncIterator]();
  const first = await items.next(); // what fails here has an answer of its own
  return respond(toStream(format, first, items), 200, headers);
}

/** Hono asks for it by GET. */
function isHead(c: Context): boolean {
  return c.req.method === 'HEAD';
}

const chunkLength = 65_536;

/** Reads on only when the client has taken what there is. */
function toStream<T>(
  { begin, toText }: Format<T>,
  first: IteratorResult<T>,
  items: AsyncIterator<T>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let text = begin;
  let next: IteratorResult<T> | undefined = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = next ?? (await items.next());
        next = undefined;
        if (done !== true) text += toText(value);
        if (done !== true && text.length < chunkLength) continue;
        if (text !== '') controller.enqueue(encoder.encode(text));
        text = '';
        if (done === true) controller.close();
        return;
      }
    },
    async cancel() {
      await items.return?.();
    },
  });
}
