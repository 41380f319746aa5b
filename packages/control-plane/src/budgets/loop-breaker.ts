// Finds calls that repeat themselves without a change, and says what follows. A call is compared by digests of its
// arguments and of its result: polling whose result changes is no loop.
import { canonicalize, sha256Hex } from '@portico/canonical-json';
import { type JsonObject, type LoopEffect, type LoopRules, nothingSent, parseJson, sizeUpTo } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import { type Call, CallFailure } from '../call/call.js';
import type { Target } from '../call/target.js';
import type { Log } from '../common/log.js';
import type { ObservedMetric } from '../observability/metrics/metrics.js';
import { traceFields } from '../observability/tracing/trace-context.js';
import type { CompiledLoops } from '../state/usage-rules.js';
import { createCallHistories } from './call-histories.js';
import type { CallHistory, Loop, LoopKind } from './call-history.js';

/** A call that is compared with those before it. */
export interface ComparedCall {
  /** The loop that it would go on with; undefined for none. */
  readonly loop: Loop | undefined;
  /** Counts and logs the loop. */
  report(loop: Loop): void;
  /** The same, and notes that the call was refused for it. @returns the failure of the call */
  refuse(loop: Loop): CallFailure;
  /** Notes its result, or its failure. Called once it has ended at its server. */
  ended(resultText: string): void;
}

export interface LoopBreaker {
  /**
   * @param args as they are sent
   * @param isDecided the call is another turn of one that runs, or a person has approved it: it is only noted
   * @returns undefined for a call that is not compared: by `except`, or because its arguments are too large
   */
  compare(
    rules: CompiledLoops,
    call: Call,
    target: Target,
    args: JsonObject,
    isDecided: boolean,
  ): ComparedCall | undefined;
  readonly metric: ObservedMetric;
}

/** Characters and values of arguments beyond which a call is not compared, and characters of a result. */
const maxArguments = 65_536;
const maxResult = 1_000_000;

const labels: Readonly<Record<LoopEffect, string>> = {
  deny: 'deny',
  requireApproval: 'require_approval',
  warn: 'warn',
};

export function createLoopBreaker({ clock, log }: { readonly clock: Clock; readonly log: Log }): LoopBreaker {
  const histories = createCallHistories();
  const detected: Record<LoopEffect, number> = { deny: 0, requireApproval: 0, warn: 0 };

  function report(rules: CompiledLoops, call: Call, target: Target, history: CallHistory, loop: Loop): void {
    detected[rules.onDetected] += 1;
    if (history.isLooping) return; // one line for each loop
    history.isLooping = true;
    const shown = call.kind === 'resource' ? {} : { capability: target.id }; // a URI may hold a secret
    const fields = { ...traceFields(call.correlation), server: target.server, ...shown };
    log('warn', `a call repeats itself without a change (${loop.kind})`, fields);
  }

  return {
    compare(rules, call, target, args, isDecided) {
      const digest = rules.isExcept(target.names) ? undefined : digestOfCall(target, args);
      if (digest === undefined) return undefined;
      const { history, also } = histories.of(call.caller, call.correlation);
      const loop = isDecided ? undefined : history.loopOf(digest, clock.now(), rules);
      return {
        loop,
        report: (found) => report(rules, call, target, history, found),
        refuse(found) {
          report(rules, call, target, history, found);
          const nowMs = clock.now();
          history.refuse(digest, found, nowMs, rules);
          return loopFailure(target.id, rules, found, nowMs);
        },
        ended(resultText) {
          if (loop === undefined) history.isLooping = false;
          // A result that is too long to compare counts as a change.
          const nowMs = clock.now();
          const result = resultText.length <= maxResult ? digestOf(resultText) : `at ${nowMs}`;
          history.note(digest, result, nowMs, rules);
          also?.note(digest, result, nowMs, rules);
        },
      };
    },
    metric: {
      type: 'counter',
      name: 'portico_loops_total',
      help: 'Calls that would have gone on with a loop, by what followed',
      labels: ['effect'],
      read: () =>
        Object.entries(detected).map(([effect, value]) => ({
          labels: { effect: labels[effect as LoopEffect] }, // it is one of its keys
          value,
        })),
    },
  };
}

/** Undefined for arguments that are too large, or have no canonical form. */
function digestOfCall({ kind, id }: Target, args: JsonObject): string | undefined {
  if (sizeUpTo([args], maxArguments) > maxArguments) return undefined;
  const textOf = (value: JsonObject) => digestOf(`${kind} ${id} ${canonicalize(value)}`);
  try {
    return textOf(args);
  } catch {
    try {
      return textOf(withEscapedHalves(args));
    } catch {
      return undefined;
    }
  }
}

/** Half a surrogate pair has no canonical form: JSON writes it as an escape, which becomes text here. */
function withEscapedHalves(args: JsonObject): JsonObject {
  const text = JSON.stringify(args).replace(/\\\\|\\(ud[89a-f])/g, (found, half) => (half ? `\\\\${half}` : found));
  return parseJson(text) as JsonObject; // it was one
}

/** A text that is no longer than its digest is compared as it is. No such text has the form of a digest. */
function digestOf(text: string): string {
  return text.length <= 64 ? text : sha256Hex(text);
}

const described: Readonly<Record<LoopKind, string>> = {
  identical: 'one after the other',
  alternating: 'in turns with another call',
};

function loopFailure(id: string, rules: LoopRules, { kind, endsAtMs }: Loop, nowMs: number): CallFailure {
  const { identical, withinSecs } = rules;
  const runs = `${identical} times within ${withinSecs} s (loops.identical, loops.withinSecs)`;
  const message = `"${id}" is a loop: the same arguments had the same result ${runs}, ${described[kind]}; it is not run again`;
  return new CallFailure('POLICY_DENIED', message, nothingSent, {
    rule: ruleOfLoop(kind),
    reason: 'loop',
    hint: 'do not repeat this call: report what was tried, and ask the user how to go on',
    retryAfterSecs: Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000)),
  });
}

/** As records name it. */
export function ruleOfLoop(kind: LoopKind): string {
  return `loop:${kind}`;
}
