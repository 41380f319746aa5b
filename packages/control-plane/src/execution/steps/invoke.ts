// A request that is over with its answer: nothing in it is put to a caller, and no task is made of it.
import type { SendDeadline, UpstreamPool, UpstreamRequest } from '@portico/upstream-pool';
import type { Target } from '../../call/target.js';
import { answerOf } from './converse.js';
import { upstreamOf } from './server-of-target.js';
import type { TurnAnswer } from './turn-answer.js';

/** @throws CallFailure CIRCUIT_OPEN, SERVER_UNREACHABLE, UPSTREAM_TIMEOUT, UPSTREAM_ERROR, OPERATION_CANCELLED, RESOURCE_NOT_FOUND */
export async function invoke(
  pool: Pick<UpstreamPool, 'get'>,
  target: Target,
  request: UpstreamRequest,
  deadline: SendDeadline,
): Promise<TurnAnswer> {
  const outcome = await upstreamOf(pool, target).send(request, deadline);
  return answerOf(target, outcome, deadline.signal, false);
}
