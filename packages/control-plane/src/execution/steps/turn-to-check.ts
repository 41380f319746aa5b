// Waits before a check that may take long, while the event loop is left to other calls. Nothing has been sent then.
import type { AbortSignalLike } from '@portico/async';
import { nothingSent } from '@portico/contracts';
import { sizeUpTo } from '@portico/distill';
import { DeadlinePassed } from '@portico/upstream-pool';
import { CallFailure } from '../../call/call.js';
import { cancelled } from '../../call/failures.js';
import type { Pacer } from '../../call/pacer.js';
import type { Target } from '../../call/target.js';
import type { Run } from './run.js';
import type { ArgumentValidator } from './validate-arguments.js';

export interface CheckDeps {
  readonly validator: ArgumentValidator;
  readonly pacer: Pacer;
}

/** Arguments of more characters and values are many, whatever their schema. */
const manyArguments = 10_000;

/** Undefined where nothing is to be waited for. Rejects with CallFailure UPSTREAM_TIMEOUT, OPERATION_CANCELLED. */
export function turnToCheck(
  { validator, pacer }: CheckDeps,
  { call, operation }: Run,
  { tool }: Target,
): Promise<void> | undefined {
  const isCounted = tool !== undefined && validator.mayTakeLong(tool.inputSchema);
  if (!isCounted && sizeUpTo([call.args], manyArguments) <= manyArguments) return undefined;
  return pacer.turn(call.caller.principal, operation.signal)?.catch(() => {
    throw unchecked(operation.signal);
  });
}

function unchecked(signal: AbortSignalLike): CallFailure {
  const { reason } = signal;
  if (!(reason instanceof DeadlinePassed)) return cancelled(signal);
  const message = `the arguments could not be checked within ${reason.timeoutMs} ms (toolTimeoutMs): checks of other calls take long; send it again later`;
  return new CallFailure('UPSTREAM_TIMEOUT', message, nothingSent);
}
