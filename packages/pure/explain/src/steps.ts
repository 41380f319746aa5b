// The steps of one call, in their order, each with its verdict and the records that show it.
import { type CallStep, callSteps, type ExplainedStep } from '@portico/contracts';
import type { ExecutionFacts } from './executions.js';
import { detailOf, type Fact } from './fact.js';
import { type Finding, patternOf } from './finding.js';

export interface StepsOf extends ExecutionFacts {
  readonly finding: Finding;
  /** The execution whose answer a replay got. */
  readonly origin: Fact | undefined;
}

/** The text for a step that did not end the call. */
type Passing = Pick<ExplainedStep, 'verdict' | 'because' | 'took_us'> & { readonly evidence?: readonly Fact[] };

export function stepsOf(of: StepsOf): ExplainedStep[] {
  const { finding, main } = of;
  const at = callSteps.indexOf(finding.step);
  return callSteps.map((step, index) => {
    if (index === at) return decidingStep(of);
    if (index > at) return { step, ...after(finding), evidence: [] };
    const { evidence, ...passed } = passing[step](of);
    return { step, ...passed, evidence: (evidence ?? [main]).map(({ id }) => id) };
  });
}

function decidingStep({ finding, facts, approvals, main, origin }: StepsOf): ExplainedStep {
  const { step, verdict } = finding;
  const cited = step === 'approve' ? (approvals.length > 0 ? approvals : facts) : [main, ...(origin ? [origin] : [])];
  const tookUs = {
    converse: main.upstreamUs,
    take_turn: main.queueUs,
    approve: waitOf(approvals),
    answer: main.durationUs,
  }[step as 'converse' | 'take_turn' | 'approve' | 'answer'];
  return {
    step,
    verdict,
    because: finding.because(step === 'approve' ? (approvals.at(-1) ?? main) : main),
    evidence: cited.map(({ id }) => id),
    ...(tookUs === undefined ? {} : { took_us: tookUs }),
  };
}

function after({ verdict, step }: Finding): Pick<ExplainedStep, 'verdict' | 'because'> {
  if (verdict === 'unknown') return { verdict, because: `the outcome of ${step} is not known` };
  return { verdict: 'not_reached', because: verdict === 'waits' ? 'it waits before this' : `it ended at ${step}` };
}

const passing: Readonly<Record<CallStep, (of: StepsOf) => Passing>> = {
  record: () => ({ verdict: 'passed', because: 'it was begun and left its record' }),
  resolve: ({ main }) => ({
    verdict: 'passed',
    because: main.capability === undefined ? 'its id was found' : `it is "${main.capability}"`,
  }),
  authorize: ({ main, approvals }) => {
    const rule = main.rule ?? approvals.at(-1)?.rule;
    const isHeld = rule?.startsWith('require_approval:') === true || rule?.startsWith('rule:') === true;
    const because = isHeld ? `the rule "${patternOf(rule)}" asks for an approval` : 'no rule stopped it';
    return { verdict: 'passed', because: because + shadowText(detailOf(main, 'shadow')) };
  },
  prepare: ({ main }) => {
    const { coerced } = main.details;
    const names = Array.isArray(coerced) ? coerced.filter((name) => typeof name === 'string') : [];
    return {
      verdict: 'passed',
      because: names.length === 0 ? 'its arguments were taken' : `arguments were converted: ${names.join(', ')}`,
    };
  },
  classify: ({ main }) => ({
    verdict: 'passed',
    because:
      main.key === undefined ? 'it has no key, so a repeat runs again' : 'it has a key, so a repeat is answered once',
  }),
  approve: ({ main, approvals }) => {
    const decision = approvals.findLast(({ type }) => type === 'approval_approved');
    const took = waitOf(approvals);
    if (decision !== undefined) {
      const who = detailOf(decision, 'decided_by') ?? detailOf(decision, 'operator') ?? 'somebody';
      const changed = decision.details.modified === true ? ', with other arguments' : '';
      return {
        verdict: 'passed',
        because: `${who} approved it${changed}`,
        evidence: approvals,
        ...(took === undefined ? {} : { took_us: took }),
      };
    }
    const grant = detailOf(main, 'grant');
    if (grant !== undefined) return { verdict: 'passed', because: `${grant} answered it in place of a person` };
    if (main.isReplay) return { verdict: 'not_needed', because: 'an answer that is given again needs no approval' };
    if (main.approvalId === undefined) return { verdict: 'not_needed', because: 'no approval is recorded' };
    return { verdict: 'unknown', because: `no record of the decision on ${main.approvalId} is there` };
  },
  dedupe: ({ main }) =>
    main.key === undefined
      ? { verdict: 'not_needed', because: 'it has no key' }
      : { verdict: 'passed', because: 'it was the first under its key' },
  take_turn: ({ main }) =>
    main.queueUs === undefined
      ? { verdict: 'passed', because: 'no wait for a place at its server is recorded' }
      : { verdict: 'passed', because: 'it waited for a place at its server', took_us: main.queueUs },
  converse: ({ main }) => ({
    verdict: 'passed',
    because: main.server === undefined ? 'its server answered' : `server "${main.server}" answered`,
    ...(main.upstreamUs === undefined ? {} : { took_us: main.upstreamUs }),
  }),
  distill: ({ main }) =>
    ['_jsonpath', '_limit_lines', '_truncate_bytes'].some((name) => name in main.args)
      ? { verdict: 'passed', because: 'the result was shortened as the call asked' }
      : { verdict: 'not_needed', because: 'nothing was to be done to the result' },
  answer: () => ({ verdict: 'passed', because: 'it was answered' }),
};

/** The decision of the shadow rules of that time. */
function shadowText(shadow: string | undefined): string {
  if (shadow === undefined) return '';
  if (shadow === 'not_allowed') return '; it would not have been found by the shadow allow rules';
  if (shadow.startsWith('rule:')) return `; the shadow rule "${patternOf(shadow)}" on arguments would have stopped it`;
  const would = shadow.startsWith('deny:') ? 'been refused' : 'waited for an approval';
  return `; it would have ${would} by the shadow rule "${patternOf(shadow)}"`;
}

/** Between the opening of a ticket and its last record, microseconds. */
function waitOf(approvals: readonly Fact[]): number | undefined {
  const [first] = approvals;
  const last = approvals.at(-1);
  if (first?.timeMs === undefined || last?.timeMs === undefined || first === last) return undefined;
  return Math.max(0, last.timeMs - first.timeMs) * 1000;
}
