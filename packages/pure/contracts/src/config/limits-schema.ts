// Limits of one call, one process and one caller, as in the configuration file.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';

/** The shortest stall that the watchdog can distinguish from a busy loop. */
const minStallMs = 2_000;

const count = (max: number, what: string) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max), v.description(what)));

export const limitsSchema = notAList(
  v.looseObject({
    validationSteps: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1_000),
        v.maxValue(10_000_000_000),
        v.description(
          'Steps that checking the arguments of one call against its tool’s schema may take; a million hold all other calls for 10 to 40 ms (default 2500000)',
        ),
      ),
    ),
    maxStallMs: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(0),
        v.maxValue(3_600_000),
        v.check((ms) => ms === 0 || ms >= minStallMs, `must be 0, or at least ${minStallMs}`),
        v.description(
          'Milliseconds for which the event loop of the process may stand still before the process is ended, and for which a stop may take; 0 ends it never (default 30000)',
        ),
      ),
    ),
    approvals: count(100_000, 'Calls of one principal to one server that wait for approval (default 1000)'),
    samplingTickets: count(100_000, 'Sampling tickets that wait for one server and principal (default 1000)'),
    waitingCharacters: count(
      1_000_000_000,
      'Characters of JSON in the approvals of one principal to one server that wait, and in its sampling tickets (default 64000000)',
    ),
    parkedCalls: count(100_000, 'Calls of one principal to one server that wait for answers (default 1000)'),
    tasks: count(100_000, 'Tasks of one principal at one server that have not ended (default 1000)'),
    sessions: count(100_000, 'MCP sessions of one principal (default 1000)'),
    streams: count(100_000, 'Streams of changes that one principal has open (default 1000)'),
    queuedCalls: count(1_000_000, 'Calls of one principal that wait for a place at one server (default 10000)'),
    keptCharacters: count(
      1_000_000_000_000,
      'Characters in the stored answers and the tasks of one principal; 1000 are counted for each record beside its answer (default 2000000000)',
    ),
    uriCharacters: count(
      1_000_000,
      'Percent-encoded characters of the URI or template of one resource; to compare one with the rules takes up to 2 µs for each (default 4096)',
    ),
    listedUriCharacters: count(1_000_000_000, 'Characters of all URIs that one server lists (default 2000000)'),
    resumableEvents: count(100_000, 'Events that one MCP session keeps for streams that break off (default 1000)'),
    resumableBytes: count(
      1_000_000_000,
      'Bytes of these events; as many may wait for a client that does not read its stream (default 1000000)',
    ),
    listedTemplates: count(
      100_000,
      'Templates that one server lists; each of its URIs is compared with each (default 200)',
    ),
    messageNames: count(
      500_000,
      'Different names of members in one message of a server, for messages of more than 100000 characters; each holds all other calls for 1 to 3 µs (default 100000)',
    ),
  }),
);

export type RawLimits = v.InferOutput<typeof limitsSchema>;
