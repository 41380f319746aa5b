// The shape of a finding, and texts that findings share.
import type { CallStep, StepVerdict } from '@portico/contracts';
import { detailOf, type Fact } from './fact.js';

export interface Finding {
  /** The step that decided. */
  readonly step: CallStep;
  readonly verdict: StepVerdict;
  readonly because: (fact: Fact) => string;
  readonly caller: string;
  readonly operator: string;
}

export const nothing = 'Nothing is to be done.';
export const repeatAsIs = 'Send the same call again.';

/** The server's name for a sentence. */
export function serverOf({ server }: Fact): string {
  return server === undefined ? 'the server' : `server "${server}"`;
}

export function thingOf({ capability }: Fact): string {
  return capability === undefined ? 'what was asked for' : `"${capability}"`;
}

/** The part of a rule behind the effect: its pattern. */
export function patternOf(rule: string | undefined): string | undefined {
  const at = rule?.indexOf(':') ?? -1;
  return at < 0 ? undefined : rule?.slice(at + 1);
}

export function timeOf(us: number | undefined): string {
  return us === undefined ? '' : ` after ${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms`;
}

export function deciderOf(fact: Fact): string {
  return detailOf(fact, 'decided_by') ?? detailOf(fact, 'operator') ?? 'somebody';
}

export const finding = (
  step: CallStep,
  verdict: StepVerdict,
  because: Finding['because'],
  caller: string,
  operator: string,
): Finding => ({ step, verdict, because, caller, operator });
