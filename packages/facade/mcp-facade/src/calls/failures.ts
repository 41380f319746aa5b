// How failures reach an MCP client: as JSON-RPC errors where the request itself is at fault or the server answered with
// one, else as results that say so.
import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Envelope, type ErrorEnvelope, isJsonObject, type JsonObject, type RpcError } from '@portico/contracts';
import type { CallFrame } from './call-frame.js';
import type { Era } from './connection.js';

type Turn = Pick<CallFrame, 'requestState' | 'inputResponses'>;

export function invalidParams(message: string, data?: JsonObject): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}

/**
 * An unusable state or unusable answers are a fault of the request, for any target: the arguments were valid when the
 * state was issued. @throws ProtocolError -32602
 */
export function checkTurn({ requestState, inputResponses }: Turn, { error, retry }: Envelope): void {
  if (requestState === undefined && inputResponses === undefined) return;
  if (error?.code === 'INVALID_ARGS' && retry.upstream_execution_state === 'not_started') {
    throw invalidParams(error.message);
  }
}

/**
 * The failure of a tool that is passed through: an error other than a JSON-RPC error is for the model to read (MCP,
 * server/tools).
 */
export function toolFailure(era: Era, name: string, { error }: ErrorEnvelope): JsonObject {
  const { code, message, approval_id, hint, rpc_error } = error;
  if (code === 'TOOL_NOT_FOUND') throw invalidParams(`Unknown tool: ${name}`);
  if (rpc_error !== undefined) throw relayed(era, rpc_error);
  const ticket = approval_id === undefined ? '' : ` (approval_id: ${approval_id})`;
  return {
    content: [{ type: 'text', text: `${code}: ${message}${ticket}${hint === undefined ? '' : `; ${hint}`}` }],
    isError: true,
  };
}

/** The failure of resources, prompts and completions, which have no error results. */
export function requestFailure(era: Era, { error }: ErrorEnvelope, data: JsonObject = {}): ProtocolError {
  const { code, message, retryable, approval_id, rpc_error } = error;
  if (rpc_error !== undefined) return relayed(era, rpc_error);
  const details = { ...data, code, retryable, ...(approval_id === undefined ? {} : { approval_id }) };
  const isAsked = ['INVALID_ARGS', 'TOOL_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'PROMPT_NOT_FOUND'].includes(code);
  return new ProtocolError(
    isAsked ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    message,
    details,
  );
}

const missingCapability = -32021;
/** An error code of 2025-11-25: a person has to open a URL first. */
const urlRequired = -32042;

/**
 * The server's own error. Codes that describe its connection to us mean nothing on this one; only the client can add a
 * capability that it lacks (MCP 2026-07-28, basic, error codes).
 */
function relayed(era: Era, { code, message, data }: RpcError): ProtocolError {
  const required = isJsonObject(data) ? data.requiredCapabilities : undefined;
  if (code === missingCapability && isJsonObject(required)) {
    return new MissingRequiredClientCapabilityError({ requiredCapabilities: required }, message);
  }
  const isOfConnection = code <= -32020 && code >= -32099;
  if (isOfConnection && !(era === 'legacy' && code === urlRequired)) {
    return new ProtocolError(ProtocolErrorCode.InternalError, message);
  }
  return new ProtocolError(code, message, data); // the SDK sends -32602 for -32002, a missing resource until 2025-11-25
}
