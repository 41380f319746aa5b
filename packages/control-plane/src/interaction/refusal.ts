// Refuses a question that no client can be asked: with the errors that MCP has for a client that does not declare a
// capability, so that the server continues without an answer at once.
import { isJsonObject, type JsonObject, type RefusalReason } from '@portico/contracts';
import { type ServerRequest, type ServerRequestMethod, ServerRequestRefused } from '@portico/upstream-pool';

/** JSON-RPC error codes. */
const methodNotFound = -32601;
/** A mode that is not declared is an invalid parameter (MCP 2025-11-25, client/elicitation, error handling). */
const invalidParams = -32602;

const capabilityNames: Readonly<Record<ServerRequestMethod, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

const lacks: Readonly<Record<RefusalReason, string>> = {
  caller_cannot_answer: 'the caller of this call does not declare',
  not_declared_to_server: 'this client does not declare',
  outside_of_calls: 'no call is running whose caller declares',
};

/** @param capabilities those of the side that cannot answer */
export function refusalOf(
  { method, params }: ServerRequest,
  reason: RefusalReason,
  capabilities: JsonObject = {},
): ServerRequestRefused {
  const lacking = `${lacks[reason]} ${capabilityNames[method]}`;
  if (method === 'elicitation/create' && isJsonObject(capabilities.elicitation)) {
    const mode = params.mode === 'url' ? 'url' : 'form';
    return new ServerRequestRefused(invalidParams, `Invalid params: ${lacking} of mode "${mode}"`);
  }
  return new ServerRequestRefused(methodNotFound, `Method not found: ${method}: ${lacking}`);
}
