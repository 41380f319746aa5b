// The loops block as it is written in the configuration file: how often a call may repeat itself without a change.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';

/** The values of `loops.onDetected`. */
export const loopEffects = ['deny', 'requireApproval', 'warn'] as const;
/** `deny`: the call is refused. `requireApproval`: a person decides. `warn`: it runs, and its record names the loop. */
export type LoopEffect = (typeof loopEffects)[number];

export const loopsSchema = notAList(
  v.looseObject({
    identical: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(2),
        v.maxValue(100),
        v.description(
          'Runs of one call with the same arguments and the same result, one after the other; the next one is a loop (default 5)',
        ),
      ),
    ),
    withinSecs: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(86_400),
        v.description('Seconds within which they count (default 600)'),
      ),
    ),
    alternating: v.optional(
      v.pipe(
        v.boolean(),
        v.description(
          'Whether two calls that take turns, each with its own unchanged result, are a loop (default true)',
        ),
      ),
    ),
    onDetected: v.optional(
      v.pipe(
        v.picklist(loopEffects),
        v.description(
          '`deny` refuses the call, `requireApproval` asks a person, `warn` runs it and records the loop (default deny)',
        ),
      ),
    ),
    except: v.optional(
      v.nullable(
        v.pipe(
          v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(1024))),
          v.maxLength(10_000),
          v.description('Ids that are never a loop, as for `policy.allow`; `*` matches any run of characters'),
        ),
      ),
    ),
  }),
);
export type RawLoops = v.InferOutput<typeof loopsSchema>;
