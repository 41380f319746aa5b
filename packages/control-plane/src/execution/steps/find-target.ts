// Steps 2 and 3: what an id stands for, and whether its caller may use it. The readings of a long URI take time, which is
// named to the watchdog; what is found is decided in `state/target.ts`.
import type { Call } from '../../call/call.js';
import type { Target } from '../../call/target.js';
import { inStage, type Stages } from '../../common/stage.js';
import type { PlaneState } from '../../state/plane-state.js';
import { authorize, type Permission, resolve } from '../../state/target.js';

type Asked = Pick<Call, 'kind' | 'id' | 'caller'>;

/** Ids of resources up to this have few readings. */
const shortId = 200;

const isLong = ({ kind, id }: Asked): boolean => kind === 'resource' && id.length > shortId;

/** As `resolve`. @throws CallFailure */
export function findTargetOf(stages: Stages, state: PlaneState, asked: Asked): Target {
  return isLong(asked) ? resolveLong(stages, state, asked) : resolve(state, asked.caller, asked.kind, asked.id);
}

/** As `authorize`. @throws CallFailure */
export function permissionOf(stages: Stages, state: PlaneState, asked: Asked, target: Target): Permission {
  return isLong(asked) ? authorizeLong(stages, state, asked, target) : authorize(state, asked, target);
}

function resolveLong(stages: Stages, state: PlaneState, asked: Asked): Target {
  return inStage(stages, 'resolving the id', shown(state, asked), () =>
    resolve(state, asked.caller, asked.kind, asked.id),
  );
}

function authorizeLong(stages: Stages, state: PlaneState, asked: Asked, target: Target): Permission {
  return inStage(stages, 'applying the policy', shown(state, asked), () => authorize(state, asked, target));
}

/** A URI may hold a secret. */
function shown({ policy }: PlaneState, { id, caller }: Asked): string {
  return policy.redactorOf(caller.role).redactText(id);
}
