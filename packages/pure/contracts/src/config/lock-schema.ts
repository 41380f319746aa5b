// The lock block as it is written in the configuration file: what servers say of their tools, as it was accepted.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { namedMap } from './named-map.js';

/** Modes of the lock of definitions; `off` compares nothing. */
export const lockModes = ['off', 'warn', 'enforce'] as const;
/** `warn`: differences are reported. `enforce`: what differs is held until it is accepted. */
export type LockMode = (typeof lockModes)[number];

export const acceptableDrifts = ['cosmetic', 'narrowed', 'description', 'widened', 'output'] as const;
/** Classes of drift that may be used before a person accepts them. The dangerous classes are not among them. */
export type AcceptableDrift = (typeof acceptableDrifts)[number];

export const newToolRules = ['hold', 'allow'] as const;

export const serverLockSchema = notAList(
  v.looseObject({
    mode: v.optional(
      v.pipe(v.picklist(lockModes), v.description('For this server; counts where it is stricter than that of all')),
    ),
    newTools: v.optional(v.pipe(v.picklist(newToolRules), v.description('Likewise'))),
  }),
);

export const lockSchema = notAList(
  v.looseObject({
    mode: v.optional(
      v.pipe(
        v.picklist(lockModes),
        v.description(
          '`warn` reports what differs from the lock, `enforce` holds it: not listed, not found, not callable until it is accepted (default off)',
        ),
      ),
    ),
    file: v.optional(
      v.pipe(
        v.string(),
        v.minLength(1),
        v.description('The lock file, from the folder of the configuration (default tools.lock)'),
      ),
    ),
    accept: v.optional(
      v.pipe(
        v.array(v.picklist(acceptableDrifts)),
        v.description('Classes of drift that are used before a person has accepted them (default cosmetic, narrowed)'),
      ),
    ),
    newTools: v.optional(
      v.pipe(
        v.picklist(newToolRules),
        v.description('Rule for definitions that are not in the lock: `hold` or `allow` (default hold)'),
      ),
    ),
    servers: v.optional(v.pipe(namedMap(serverLockSchema), v.description('Stricter rules of single servers, by id'))),
  }),
);
export type RawLock = v.InferOutput<typeof lockSchema>;
