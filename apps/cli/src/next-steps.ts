// The next steps that a command prints after the error of the service: its hint, and the command to run. A code without an
// entry does not compile.
import type { ApiError } from '@portico/client';
import type { ErrorCode } from '@portico/contracts';

type Steps = (error: ApiError) => readonly string[];

const none: Steps = () => [];
const servers: Steps = () => ['"portico server list" shows the status of the servers'];

/** Codes with `none` have the next step in their messages, or end the work on purpose: a person has refused it. */
const stepsByCode: Readonly<Record<ErrorCode, Steps>> = {
  TOOL_NOT_FOUND: () => ['"portico list" and "portico search" show the tools'],
  RESOURCE_NOT_FOUND: none, // it also names servers, tickets and records
  PROMPT_NOT_FOUND: () => ['"portico list prompts" shows the prompts'],
  INVALID_ARGS: none,
  POLICY_DENIED: ({ status }) => (status === 403 ? ['"portico config policy show" shows the rules in force'] : []),
  APPROVAL_PENDING: ({ approvalId }) => (approvalId === undefined ? [] : decisionOn(approvalId)),
  APPROVAL_TIMEOUT: none,
  APPROVAL_REJECTED: none,
  CIRCUIT_OPEN: servers,
  SERVER_UNREACHABLE: servers,
  UPSTREAM_TIMEOUT: servers,
  UPSTREAM_ERROR: none,
  OPERATION_CANCELLED: none,
  INTERNAL_ERROR: () => ['"portico doctor" checks the set-up'],
};

export function nextSteps(error: ApiError): readonly string[] {
  const { hint } = error.envelope.error;
  const hints = hint === undefined ? [] : [hint];
  if (error.status === 401) return [...hints, 'give a valid token with --token or in PORTICO_TOKEN'];
  return [...hints, ...stepsByCode[error.code](error)];
}

function decisionOn(approvalId: string): readonly string[] {
  return [
    `a person has to decide on ticket ${approvalId}:`,
    `  portico approvals show ${approvalId}`,
    `  portico approvals approve ${approvalId}`,
    `  portico approvals reject ${approvalId} --reason TEXT`,
  ];
}
