// Step 4: takes the modifiers out of the arguments, and checks the rest; a check that may take long waits for its
// turn. Nothing has been sent when this fails.
import type { AbortSignalLike } from '@portico/async';
import {
  type Config,
  describeIssues,
  exactNumbers,
  type Issue,
  type JsonObject,
  joinPath,
  keepExact,
  nothingSent,
  type PromptDefinition,
  traceMeta,
} from '@portico/contracts';
import { type Modifiers, takeModifiers } from '@portico/distill';
import { DeadlinePassed, type UpstreamRequest } from '@portico/upstream-pool';
import { CallFailure, type CallKind } from '../../call/call.js';
import { cancelled } from '../../call/failures.js';
import type { Pacer } from '../../call/pacer.js';
import { needsTask, type Target } from '../../call/target.js';
import type { Tracing } from '../../observability/tracing/spans.js';
import { taskTtlMs } from '../../tasks/task.js';
import type { Run } from './record.js';
import type { ArgumentValidator } from './validate-arguments.js';

export interface Prepared {
  /** The arguments in the form that the server receives. */
  readonly args: JsonObject;
  /** Modifiers of a tool's result; undefined for none. */
  readonly modifiers: Modifiers | undefined;
  /** Arguments that were converted to the types of the schema; absent without conversions. */
  readonly coerced?: readonly string[];
}

/** @throws CallFailure INVALID_ARGS naming the path */
export function prepare(
  validator: ArgumentValidator,
  servers: Config['servers'],
  target: Target,
  args: JsonObject,
): Prepared {
  switch (target.kind) {
    case 'tool': {
      const { id, tool } = target;
      const taken = takeModifiers(args, tool?.inputSchema.properties);
      if (!taken.ok) throw invalid(taken.issue, describing(id));
      const modifiers = taken.args === args ? undefined : taken.modifiers;
      const checks = servers.get(target.server)?.argumentChecks;
      if (tool === undefined || checks === 'off') return { args: taken.args, modifiers };
      const issue = validator.checkFor(tool.inputSchema, id)(taken.args, id);
      if (issue === undefined) return { args: taken.args, modifiers };
      const converted = checks === 'coerce' ? validator.coerce(tool.inputSchema, id, taken.args) : undefined;
      if (converted === undefined) throw invalid(issue, describing(id));
      return { args: converted.args, modifiers, coerced: converted.changes };
    }
    case 'resource':
      return { args, modifiers: undefined };
    case 'prompt': {
      const issue = target.prompt && findPromptIssue(target.prompt, args);
      if (issue !== undefined) throw invalid(issue);
      return { args, modifiers: undefined };
    }
  }
}

/** The requests of the kinds of calls (MCP, server features). */
export const methods = {
  tool: 'tools/call',
  resource: 'resources/read',
  prompt: 'prompts/get',
} as const satisfies Readonly<Record<CallKind, UpstreamRequest['method']>>;

/**
 * The request to send, with the trace and the span for the upstream. A tool of 2025-11-25 that requires a task is run as
 * one.
 */
export function toRequest(
  randomHex: Tracing['randomHex'],
  { call, entry, trace, granted }: Run,
  { kind, name, tool }: Target,
  { args }: Prepared,
): UpstreamRequest {
  const { traceId, parent } = call.correlation;
  const _meta = trace === undefined ? traceMeta(traceId, randomHex(16), parent) : trace.meta();
  const params = kind === 'resource' ? { uri: name, _meta } : { name, arguments: args, _meta };
  const isTask = tool?.execution !== undefined && needsTask(tool);
  const sent = isTask ? { ...params, task: { ttl: taskTtlMs } } : params;
  return {
    method: methods[kind],
    params: exactNumbers in args ? keepExact(args, sent) : sent,
    withhold: entry.kind === 'ticket' ? entry.withhold : granted?.withhold,
  };
}

export interface CheckDeps {
  readonly validator: ArgumentValidator;
  readonly pacer: Pacer;
}

/** Waits for the turn of a check that may take long; undefined if it may start at once. Rejects with CallFailure UPSTREAM_TIMEOUT, OPERATION_CANCELLED. */
export function turnToCheck(
  { validator, pacer }: CheckDeps,
  { call, operation, isLarge, isHuge }: Run,
  { tool }: Target,
): Promise<void> | undefined {
  const isCounted = tool !== undefined && validator.mayTakeLong(tool.inputSchema);
  if (!isCounted && !isLarge) return undefined;
  const { principal } = call.caller;
  const { signal } = operation;
  const turn = isHuge ? pacer.laterTurn(principal, signal) : pacer.turn(principal, signal);
  return turn && failUnsent(turn, signal, 'checked');
}

/** Waits for a second turn, in which large arguments are digested and sent. Rejects as `turnToCheck`. */
export function turnToSend({ pacer }: CheckDeps, { call, operation: { signal } }: Run): Promise<void> {
  return failUnsent(pacer.laterTurn(call.caller.principal, signal), signal, 'sent');
}

function failUnsent(turn: Promise<void>, signal: AbortSignalLike, step: 'checked' | 'sent'): Promise<void> {
  return turn.catch(() => {
    throw unsent(signal, step);
  });
}

function unsent(signal: AbortSignalLike, step: 'checked' | 'sent'): CallFailure {
  const { reason } = signal;
  if (!(reason instanceof DeadlinePassed)) return cancelled(signal);
  const message = `the arguments could not be ${step} within ${reason.timeoutMs} ms (toolTimeoutMs): checks of other calls take long; send it again later`;
  return new CallFailure('UPSTREAM_TIMEOUT', message, nothingSent);
}

function invalid(issue: Issue, hint?: string): CallFailure {
  return new CallFailure('INVALID_ARGS', describeIssues([issue]), nothingSent, { hint, argument: issue.path });
}

function describing(id: string): string {
  return `capability_describe, which is GET /v1/capabilities/${id} over HTTP, shows the arguments that it takes`;
}

/** Prompt arguments are texts (MCP, server/prompts). */
function findPromptIssue(prompt: PromptDefinition, args: JsonObject): Issue | undefined {
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== 'string') return { path: joinPath(['arguments', name]), message: 'expected a string' };
  }
  const missing = prompt.arguments?.find(
    ({ name, required }) => required === true && !Object.hasOwn(args, String(name)),
  );
  return missing && { path: joinPath(['arguments', String(missing.name)]), message: 'is required' };
}
