// The access block as it is written in the configuration file: who reaches the service on loopback without a token.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';

/** Rights of other users of this machine over loopback without a token. */
export const otherUsersRules = ['none', 'calls'] as const;

export const accessSchema = notAList(
  v.looseObject({
    otherUsers: v.optional(
      v.pipe(
        v.picklist(otherUsersRules),
        v.description(
          'Rights of processes of other users over loopback without a token, on Linux: `none`, or `calls`, which admits everything but administration (default none)',
        ),
      ),
    ),
    operatorToken: v.optional(
      v.pipe(
        v.boolean(),
        v.description(
          'Whether administration needs the token in the file `operator-token` of the state directory (default false)',
        ),
      ),
    ),
    requireTokenOnLoopback: v.optional(
      v.pipe(v.boolean(), v.description('Whether `/v1` asks for the `authToken` on loopback too (default false)')),
    ),
  }),
);
