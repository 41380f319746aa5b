// The audit block as it is written in the configuration file.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { namedMap } from './named-map.js';

const text = v.pipe(v.string(), v.minLength(1));
const nullableText = v.optional(v.nullable(text));
const address = v.pipe(v.string(), v.regex(/^https?:\/\/[^/\s]/i, 'must be an http: or https: address'));
const count = (min: number, max: number, what: string) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max), v.description(what)));

const siemWebhookSchema = v.looseObject({
  type: v.literal('webhook'),
  url: address,
  authHeader: nullableText,
  headers: v.optional(v.nullable(namedMap(v.string()))),
});

const splunkHecSchema = v.looseObject({
  type: v.literal('splunk_hec'),
  url: address,
  token: text,
  index: nullableText,
  source: nullableText,
});

export const siemTargetSchema = v.variant('type', [siemWebhookSchema, splunkHecSchema]);
export type RawSiemTarget = v.InferOutput<typeof siemTargetSchema>;

export const siemSchema = notAList(
  v.looseObject({
    targets: v.optional(v.pipe(v.array(siemTargetSchema), v.description('Targets, each with a queue of its own'))),
  }),
);

export const auditSchema = notAList(
  v.looseObject({
    enabled: v.optional(v.pipe(v.boolean(), v.description('Whether there is an audit log at all (default true)'))),
    filePath: v.optional(
      v.nullable(
        v.pipe(
          v.string(),
          v.minLength(1),
          v.description(
            'JSONL file that is the log; relative to the configuration file. Without it: in PostgreSQL with storage.url, else in memory',
          ),
        ),
      ),
    ),
    durability: v.optional(
      v.pipe(
        v.picklist(['buffered', 'strict']),
        v.description('strict: no answer leaves before its record is on disk or committed (default buffered)'),
      ),
    ),
    bufferCapacity: count(1, 1_000_000, 'Records that may wait to be written before callers wait (default 10000)'),
    flushIntervalMs: count(1, 60_000, 'Longest time a record waits to be written, milliseconds (default 250)'),
    maxBatchSize: count(1, 100_000, 'Records that are written without waiting for more (default 100)'),
    checkpointRecords: count(1, 1_000_000, 'Records between two signed checkpoints at most (default 1000)'),
    checkpointIntervalMs: count(
      1000,
      86_400_000,
      'Longest time a written record waits for a signed checkpoint, milliseconds (default 60000)',
    ),
    maxFileMb: count(
      1,
      1_000_000,
      'Size at which the file is sealed as a segment, and another one follows it, in units of 1,000,000 bytes (default 256)',
    ),
    keepDays: v.optional(
      v.nullable(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(36_500),
          v.description('Days after which sealed segments are removed, with a record that says so; never by default'),
        ),
      ),
    ),
    digests: v.optional(
      v.pipe(
        v.picklist(['exceptions', 'all']),
        v.description(
          'Records of calls that have digests, result_bytes and upstream_us: those of calls that failed, were refused, gated or asked something, or all (default exceptions)',
        ),
      ),
    ),
    siem: v.optional(v.pipe(v.nullable(siemSchema), v.description('SIEM targets that receive every record'))),
  }),
);
export type RawAudit = v.InferOutput<typeof auditSchema>;
