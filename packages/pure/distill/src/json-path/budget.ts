// Limits the cost of one query. Queries come from agents and results from upstreams; together they must not hang the
// process. Never measures time: the same query on the same result always gives the same answer.
import { LimitExceeded } from '../limit-exceeded.js';

/** About a step per node that is visited, compared or matched; a query that used them all took 0.05 to 0.1 s on two shared cores. */
const maxSteps = 2_000_000;

export interface Budget {
  /** @throws LimitExceeded once the query has cost too much */
  spend(steps: number): void;
}

export function createBudget(): Budget {
  let left = maxSteps;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0)
        throw new LimitExceeded(
          `takes too many steps on this result (more than ${maxSteps}, a fixed limit); use a narrower query`,
        );
    },
  };
}
