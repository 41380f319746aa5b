// The inspect block as it is written in the configuration file: the wire log of the messages of servers.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';

export const frameBodies = ['redacted', 'shape', 'off'] as const;
/** `redacted`: the message without secrets. `shape`: names, types and lengths. `off`: none. */
export type FrameBodies = (typeof frameBodies)[number];

export const inspectSchema = notAList(
  v.looseObject({
    enabled: v.optional(
      v.pipe(v.boolean(), v.description('Keep the JSON-RPC messages between Portico and its servers (default false)')),
    ),
    maxMb: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(1024),
        v.description(
          'Megabytes of memory that they take, of all servers together; the oldest of the server that has the most go first (default 64)',
        ),
      ),
    ),
    bodies: v.optional(
      v.pipe(
        v.picklist(frameBodies),
        v.description(
          'The part of their content that is kept: `redacted` all but secrets, `shape` names, types and lengths, `off` nothing (default redacted)',
        ),
      ),
    ),
    maxBodyKb: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(1024),
        v.description('Kilobytes that are kept of one message; a longer one is cut (default 64)'),
      ),
    ),
  }),
);
export type RawInspect = v.InferOutput<typeof inspectSchema>;
