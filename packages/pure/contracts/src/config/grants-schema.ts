// `policy.grants` as it is written in the configuration file: approvals that answer later calls as well.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { isUnicode, notUnicode } from '../unicode.js';

/** Thirty days. */
const longestTtlSecs = 2_592_000;
const mostUses = 10_000;

/** Closed: a misspelt limit would have no effect. */
export const grantsSchema = notAList(
  v.looseObject({
    enabled: v.optional(
      v.pipe(v.boolean(), v.description('Whether an approval may be kept for later calls (default false)')),
    ),
    maxTtlSecs: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(longestTtlSecs),
        v.description('Longest life of a grant, seconds (default 28800)'),
      ),
    ),
    maxUses: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(mostUses),
        v.description('Most calls that one grant answers (default 100)'),
      ),
    ),
    mayOffer: v.optional(
      v.nullable(
        v.pipe(
          v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(1024), v.check(isUnicode, notUnicode))),
          v.maxLength(1000),
          v.description(
            'Ids that a grant may be made for; `*` matches any run of characters. A tool that declares itself destructive needs an entry without `*` (default: everything but such tools)',
          ),
        ),
      ),
    ),
  }),
);
export type RawGrants = v.InferOutput<typeof grantsSchema>;
