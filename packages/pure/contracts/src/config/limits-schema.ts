// The limits block as it is written in the configuration file.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';

/** What the watchdog can tell from a loop that is only busy. */
const minStallMs = 2_000;

export const limitsSchema = notAList(
  v.looseObject({
    validationSteps: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1_000),
        v.maxValue(10_000_000_000),
        v.description(
          'Steps that checking the arguments of one call against its tool’s schema may take; a million hold all other calls for about 0.1 s (default 1000000)',
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
  }),
);

export type RawLimits = v.InferOutput<typeof limitsSchema>;
