// Errors in the words that a person needs: what failed, where in the form, and what to do next.
import { ApiError, UnexpectedAnswerError, UnreachableError } from '@portico/client';

export interface Problem {
  /** The service's code, or one for what never reached it. */
  readonly code: string;
  readonly message: string;
  readonly next: string;
  /** Messages for single fields, by the path that the service names; empty if it names no path. */
  readonly fields: Readonly<Record<string, string>>;
  /** HTTP status of the answer; absent if there was none. */
  readonly status?: number;
  /** The trace of the call that failed, by which it can be explained; absent if no call was made. */
  readonly why?: string;
}

/** Codes of calls: each leaves an audit record. Other requests are refused with some of them, and leave none. */
const codesOfCalls: readonly string[] = [
  'POLICY_DENIED',
  'APPROVAL_PENDING',
  'APPROVAL_TIMEOUT',
  'APPROVAL_REJECTED',
  'CIRCUIT_OPEN',
  'SERVER_UNREACHABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_ERROR',
];

const nextSteps: Readonly<Record<string, string>> = {
  INVALID_ARGS: 'Change what is named and send it again.',
  TOOL_NOT_FOUND: 'It may no longer exist; look it up in the catalog.',
  RESOURCE_NOT_FOUND: 'It may no longer exist; load the page again.',
  PROMPT_NOT_FOUND: 'It may no longer exist; look it up in the catalog.',
  POLICY_DENIED: 'Ask an administrator, or sign in with another token.',
  APPROVAL_PENDING: 'The ticket needs a decision first.',
  APPROVAL_TIMEOUT: 'Send it again and have the ticket decided in time.',
  APPROVAL_REJECTED: 'Ask the person who rejected it for the reason.',
  CIRCUIT_OPEN: 'Wait until the circuit lets a call through, or restart the server.',
  SERVER_UNREACHABLE: 'See the logs of the server, or restart it.',
  UPSTREAM_TIMEOUT: 'See the logs of the server; toolTimeoutMs in the configuration is the limit.',
  UPSTREAM_ERROR: 'See the logs of the server.',
  INTERNAL_ERROR: 'See the log of the daemon.',
};

const changedSince = 'It has changed since this page loaded it, and is shown as it is now.';

export function toProblem(error: unknown): Problem {
  if (error instanceof ApiError) {
    const { code, message } = error;
    const next = error.status === 409 ? changedSince : (nextSteps[code] ?? 'Try again.');
    const isOfCall = codesOfCalls.includes(code) && error.status !== 401;
    return {
      code,
      message,
      next,
      fields: code === 'INVALID_ARGS' ? toFields(message) : {},
      status: error.status,
      ...(isOfCall ? { why: error.envelope.trace_id } : {}),
    };
  }
  if (error instanceof UnreachableError)
    return { ...unnamed('NO_ANSWER', 'The daemon does not answer.'), next: 'See whether it runs, and try again.' };
  if (error instanceof UnexpectedAnswerError) return unnamed('UNEXPECTED_ANSWER', error.message);
  return unnamed('FAILED', error instanceof Error ? error.message : String(error));
}

function unnamed(code: string, message: string): Problem {
  return { code, message, next: 'Try again.', fields: {} };
}

/** `server.url: must be …; name: is required`, as the service writes problems. */
function toFields(message: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const part of message.split('; ')) {
    const [, path, text] = /^([A-Za-z_][^\s:]*): (.+)$/s.exec(part) ?? [];
    if (path !== undefined && text !== undefined && fields[path] === undefined) fields[path] = text;
  }
  return fields;
}

/** The message for the field of a form that has these paths, also where a part of it is named. */
export function messageFor(problem: Problem | undefined, ...paths: readonly string[]): string | undefined {
  if (problem === undefined) return undefined;
  for (const [path, message] of Object.entries(problem.fields)) {
    const owner = paths.find((known) => path === known || path.startsWith(`${known}.`) || path.startsWith(`${known}[`));
    if (owner !== undefined)
      return path === owner ? message : `${path.slice(owner.length).replace(/^\./, '')}: ${message}`;
  }
  return undefined;
}
