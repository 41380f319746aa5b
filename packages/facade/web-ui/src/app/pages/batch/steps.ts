// The steps of a batch while they are written, and what keeps them from being sent.
import type { Bodies } from '@portico/client';
import type { JsonObject } from '@portico/contracts';
import { parseJsonObject } from '../../lib/json-text.js';
import { randomId } from '../../lib/random-id.js';

export interface Step {
  /** Key for this page only: ids are typed, and may be the same for a while. */
  readonly key: string;
  readonly id: string;
  readonly capabilityId: string;
  readonly argsText: string;
  readonly continuesOnError: boolean;
}

/** Messages about problems, by field. */
export type StepProblems = Readonly<Partial<Record<'id' | 'capabilityId' | 'argsText', string>>>;

/** @param taken ids of the steps before it */
export function newStep(taken: readonly string[]): Step {
  let number = taken.length + 1;
  while (taken.includes(`step${number}`)) number += 1;
  return { key: randomId(), id: `step${number}`, capabilityId: '', argsText: '{}', continuesOnError: false };
}

/** By step; an empty object for one that can be sent. */
export function problemsOf(steps: readonly Step[]): readonly StepProblems[] {
  return steps.map(({ id, capabilityId, argsText }, index) => {
    const args = parseJsonObject(argsText);
    const isTaken = steps.some((other, at) => at < index && other.id === id);
    return {
      ...(id === '' ? { id: 'A step needs an id.' } : isTaken ? { id: 'An earlier step has this id.' } : {}),
      ...(capabilityId === '' ? { capabilityId: 'Choose a tool.' } : {}),
      ...(args.ok ? {} : { argsText: args.message }),
    };
  });
}

/** Returns the request for steps that have no problems. */
export function toRequest(steps: readonly Step[]): Bodies['callBatch'] {
  return {
    steps: steps.map(({ id, capabilityId, argsText, continuesOnError }) => {
      const args = parseJsonObject(argsText);
      return {
        id,
        capability_id: capabilityId,
        args: args.ok ? (args.value as JsonObject) : {},
        ...(continuesOnError ? { continue_on_error: true } : {}),
      };
    }),
  };
}
