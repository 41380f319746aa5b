// Groups the records of a trace by call, and finds the one that says how a call ended.
import type { AuditStatus } from '@portico/contracts';
import { type Fact, isOfApproval, isOfCall } from './fact.js';

export interface ExecutionFacts {
  /** Oldest first. */
  readonly facts: readonly Fact[];
  /** The record that says how it ended, or how far it has come. */
  readonly main: Fact;
  /** The records of its approval, oldest first. */
  readonly approvals: readonly Fact[];
}

/** Worse ones later. */
const badness: readonly AuditStatus[] = ['success', 'intercepted', 'cancelled', 'denied', 'failed'];

export function worseOf(a: AuditStatus, b: AuditStatus): AuditStatus {
  return badness.indexOf(b) > badness.indexOf(a) ? b : a;
}

/** In the order of their first records. */
export function executionsOf(facts: readonly Fact[]): readonly ExecutionFacts[] {
  const groups = new Map<string, Fact[]>();
  for (const fact of facts) {
    const name = groupOf(fact);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [fact]);
    else group.push(fact);
  }
  return [...groups.values()].flatMap((group) => {
    const main = mainOf(group);
    return main === undefined ? [] : [{ facts: group, main, approvals: group.filter(isOfApproval) }];
  });
}

/** The one that an id names, undefined if none has it; without an id the worst one, the latest of equals. */
export function chosenOf(executions: readonly ExecutionFacts[], about: string | undefined): ExecutionFacts | undefined {
  if (about !== undefined) {
    const isNamed = ({ id, approvalId, requestId }: Fact) => [id, approvalId, requestId].includes(about);
    return executions.find(({ facts }) => facts.some(isNamed));
  }
  let worst = executions[0];
  for (const each of executions) {
    if (worst === undefined || worseOf(each.main.status, worst.main.status) === each.main.status) worst = each;
  }
  return worst;
}

/** Records of one approval are of one call, and so are the rounds of a call that asks its caller: they share its key. */
function groupOf({ id, approvalId, key, capability, isReplay, code }: Fact): string {
  if (isReplay) return `replay ${id}`;
  if (approvalId !== undefined) return `approval ${approvalId}`;
  return key === undefined || code !== undefined ? `record ${id}` : `key ${key} ${capability}`;
}

function mainOf(group: readonly Fact[]): Fact | undefined {
  const ended = group.findLast((fact) => isOfCall(fact) && fact.status !== 'intercepted');
  return ended ?? group.findLast(isOfApproval) ?? group.at(-1);
}
