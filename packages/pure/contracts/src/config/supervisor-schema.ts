// The supervisor block as it is written in the configuration file.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';

export const supervisorSchema = notAList(
  v.looseObject({
    retryGivenUpSecs: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(86_400),
        v.description('Seconds after which a server whose restarts are used up is tried once more (default 300)'),
      ),
    ),
  }),
);
