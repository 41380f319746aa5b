// The audit log: what was recorded, whether it is whole, and all of it as a file.
import { type AuditRecord, csvHeader, csvRow, recordLine, toSpan } from '@portico/audit-chain';
import { documentText, gatherExact, maxSeriesBuckets, maxUsageListed, PorticoError } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { respond, send } from './answer.js';
import { auditFilterOf, oneOf } from './audit-query.js';
import { integerOf, pageOf } from './paging.js';

export function addAuditRoutes(app: Hono, { audit, epochMs }: ControlPlane): void {
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

  app.get('/v1/audit/series', async (c) => {
    const most = integerOf(c, 'buckets', { fallback: defaultBuckets, min: 1, max: maxSeriesBuckets });
    const filter = auditFilterOf(c);
    const endMs = filter.end_ms ?? epochMs();
    const startMs = filter.start_ms ?? (await oldestMs(audit)) ?? endMs;
    if (startMs > endMs) throw new PorticoError('INVALID_ARGS', 'query start_time: is after end_time');
    const span = toSpan(startMs, endMs, most);
    const points = await audit.series({ ...filter, start_ms: startMs, end_ms: endMs }, span);
    const total = points.reduce((sum, { byStatus }) => sum + sumOf(Object.values(byStatus)), 0);
    const shown = points.map(({ startMs: at, byStatus }) => ({ start: new Date(at).toISOString(), ...byStatus }));
    return send(JSON.stringify({ ok: true, step_secs: span.stepMs / 1000, total, points: shown }), 200);
  });

  app.get('/v1/audit/usage', async (c) => {
    const isByActor = oneOf(c, 'by', ['capability', 'actor']) === 'actor';
    const field = isByActor ? 'actor_id' : 'capability_id';
    const { rows, isComplete } = await audit.usage(auditFilterOf(c), maxUsageListed, field);
    const shown = rows.map(({ name, lastMs, ...counts }) => ({
      [field]: name === '' && isByActor ? null : name,
      ...counts,
      last: lastMs === 0 ? null : new Date(lastMs).toISOString(),
    }));
    const counted = isByActor ? { capabilities: [], actors: shown } : { capabilities: shown };
    return send(JSON.stringify({ ok: true, ...counted, complete: isComplete }), 200);
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

const defaultBuckets = 60;

/** Time of the oldest record that has one; undefined if there is none. */
async function oldestMs(audit: ControlPlane['audit']): Promise<number | undefined> {
  for await (const { timestamp } of audit.records({})) {
    const epochMs = Date.parse(timestamp);
    if (!Number.isNaN(epochMs)) return epochMs;
  }
  return undefined;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
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
