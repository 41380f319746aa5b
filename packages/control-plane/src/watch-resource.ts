// Watching a resource: under the same rules as reading it, but it needs no approval, since nothing of it is read.
import type { Caller } from './call.js';
import type { Execution } from './execute.js';
import type { PlaneState } from './plane-state.js';
import { authorize } from './steps/authorize.js';
import { upstreamOf } from './steps/invoke.js';
import { resolve } from './steps/resolve.js';

/** Resolves with the function that ends it. @throws CallFailure RESOURCE_NOT_FOUND, POLICY_DENIED, SERVER_UNREACHABLE */
export async function watchResource(
  { pool }: Pick<Execution, 'pool'>,
  state: PlaneState,
  caller: Caller,
  id: string,
): Promise<() => void> {
  const target = resolve(state, caller, 'resource', id);
  authorize(state, { kind: 'resource', id, caller }, target);
  return upstreamOf(pool, target).watchResource(target.name);
}
