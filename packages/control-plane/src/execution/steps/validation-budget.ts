// Limits the cost of checking the arguments of one call, in steps: subschemas, items, names, and the text that patterns
// read. Never measures time: the same arguments against the same schema always give the same answer.

export interface ValidationBudget {
  /** Steps that the running check may still take. The code that Ajv makes of a schema counts it down. */
  left: number;
  /** Starts the check of another call. */
  begin(): void;
  /** @throws OverBudget once the check has cost too much */
  spend(steps: number): void;
  /** @throws OverBudget always */
  exceed(): never;
}

/** The arguments are neither right nor wrong: to find that out costs more than one call may. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
  readonly maxSteps: number;

  constructor(maxSteps: number) {
    super(`more than ${maxSteps} steps`);
    this.maxSteps = maxSteps;
  }
}

/** @param maxSteps what the configuration in force allows */
export function createValidationBudget(maxSteps: () => number): ValidationBudget {
  let limit = 0;
  const budget: ValidationBudget = {
    left: 0,
    begin() {
      limit = maxSteps();
      budget.left = limit;
    },
    spend(steps) {
      budget.left -= steps;
      if (budget.left < 0) budget.exceed();
    },
    exceed() {
      throw new OverBudget(limit);
    },
  };
  return budget;
}
