// `tools/call`: one of the facade's own tools, or a tool of an upstream whose result is handed on as it is.
import type { CapabilityEntry } from '@portico/catalog-core';
import {
  describeIssues,
  documentText,
  type Envelope,
  envelopeText,
  errorEnvelope,
  exactNumbers,
  gatherExact,
  isJsonObject,
  isQuestion,
  type JsonObject,
  type JsonValue,
  mayHoldExact,
  nothingSent,
  PorticoError,
  parseExact,
  parseWith,
  withMember,
  writeExact,
} from '@portico/contracts';
import { CallFailure } from '@portico/control-plane';
import type { CallFrame } from '../calls/call-frame.js';
import { checkTurn, invalidParams, toolFailure } from '../calls/failures.js';
import type { About } from '../calls/first-wait.js';
import { correlationOf, frameOf, type Incoming } from '../calls/incoming.js';
import { exactData, toResult, toToolResult } from '../calls/results.js';
import { qualifyWritten } from '../calls/ui-names.js';
import { untilKnown, whenKnown } from '../calls/when-known.js';
import { type ListedTool, type UpstreamTool, upstreamTool } from '../catalog/tool-table.js';
import { idOfNative, idOfNobody, isReservedForOther } from '../catalog/unlisted.js';
import { type FacadeAnswer, requestIdsOf } from '../tools/facade-actions.js';
import type { FacadeTool } from '../tools/facade-tools.js';
import { objectParam, textParam } from './params.js';
import { toCreateTaskResult } from './tasks.js';

/** The answer to a call of a tool. */
export type ToolAnswer =
  | {
      readonly kind: 'result';
      readonly result: JsonObject;
      /** Its JSON text, where it is passed on as the upstream has written it. */
      readonly resultText?: string | undefined;
    }
  /** The answer of one of the facade's own tools, which is the result both as structured content and as text. */
  | ({ readonly kind: 'document' } & FacadeAnswer);

export async function callTool(incoming: Incoming): Promise<JsonObject> {
  const answer = await answerTool(incoming);
  if (answer.kind === 'document') return toFacadeResult(answer);
  const { result, resultText } = answer;
  return exactData({ data: result, dataText: resultText }) as JsonObject; // the text of `result`
}

/** As `callTool`, for an answer that is made JSON next. */
export function answerTool(incoming: Incoming): Promise<ToolAnswer> {
  const name = textParam(incoming.params, 'name');
  const args = objectParam(incoming.params, 'arguments');
  const listed = incoming.surface.tools().get(name);
  return listed === undefined ? callUnlistedTool(incoming, name, args) : callListedTool(incoming, name, listed, args);
}

function callListedTool(incoming: Incoming, name: string, listed: ListedTool, args: JsonObject): Promise<ToolAnswer> {
  return listed.kind === 'facade'
    ? callFacadeTool(incoming, listed.tool, args)
    : callUpstreamTool(incoming, name, listed, args);
}

/** Its server may be about to list it. */
async function callUnlistedTool(incoming: Incoming, name: string, args: JsonObject): Promise<ToolAnswer> {
  const about = (): About => [{ kind: 'tool', id: unlistedTool(incoming, name).id }];
  return whenKnown(incoming, about, (known) =>
    callListedTool(known, name, known.surface.tools().get(name) ?? unlistedTool(known, name), args),
  );
}

/**
 * A hidden tool may exist nevertheless: its server has not been reached yet, or the caller may not see it. The plane
 * knows which, and records the attempt.
 */
function unlistedTool({ deps, surface }: Incoming, name: string): UpstreamTool {
  const state = deps.plane.state();
  const { aliases, mcpExposure } = state.config;
  const isPassedThrough = aliases.capability.get(name)?.passthrough === true;
  const native = mcpExposure === 'facade' ? undefined : idOfNative(state, 'tool', name);
  const id = isPassedThrough ? name : native;
  if (id !== undefined) return { kind: 'upstream', definition: {}, id }; // no server takes a name that is another's
  const ofPages = surface.pageTools().get(name) ?? [];
  const [page, ...others] = ofPages.filter(({ server }) => !isReservedForOther(state, server, name));
  if (others.length > 0 && page !== undefined) throw sharedByPages(name, [page, ...others]);
  if (page !== undefined) return upstreamTool(name, page);
  return { kind: 'upstream', definition: {}, id: idOfNobody(state, name) };
}

function sharedByPages(name: string, tools: readonly CapabilityEntry[]) {
  const servers = tools.map(({ server }) => server).join(', ');
  return invalidParams(`pages of ${servers} have a tool ${name}: give each an alias of its own that is passed through`);
}

async function callUpstreamTool(
  incoming: Incoming,
  name: string,
  { id, definition, server }: UpstreamTool,
  args: JsonObject,
): Promise<ToolAnswer> {
  const { end, ...frame } = frameOf(incoming);
  const correlation = correlationOf(incoming);
  const outcome = await incoming.deps.plane
    .execute({ kind: 'tool', id, args, correlation, idempotencyKey: null, ...frame })
    .finally(end);
  if (outcome.kind === 'task') return { kind: 'result', result: toCreateTaskResult(outcome.task) };
  const { envelope } = outcome;
  checkTurn(frame, envelope);
  if (!envelope.ok) return { kind: 'result', result: toolFailure(incoming.connection.era, name, envelope) };
  const owner = server ?? incoming.deps.plane.state().catalog.findCapability(id)?.server;
  const { data, dataText } = qualifyWritten({ data: envelope.data, dataText: outcome.dataText }, owner);
  const result = toToolResult(incoming, data, definition);
  if (result === data) return { kind: 'result', result, resultText: dataText };
  if (dataText === undefined || !mayHoldExact.test(dataText)) return { kind: 'result', result };
  const exact = toToolResult(incoming, parseExact(dataText), definition);
  return { kind: 'result', result: exact, resultText: exactNumbers in exact ? writeExact(exact) : undefined };
}

async function callFacadeTool(given: Incoming, tool: FacadeTool, args: JsonObject): Promise<ToolAnswer> {
  const { deps } = given;
  const frame = withTurnOf(args, frameOf(given));
  const correlation = correlationOf(given, requestIdsOf(args));
  let answer: FacadeAnswer;
  try {
    const parsed = parseWith(tool.input, args);
    if (!parsed.ok) throw new PorticoError('INVALID_ARGS', describeIssues(parsed.issues));
    const waiting = untilKnown(given, () => tool.about(args));
    const { surface } = waiting === undefined ? given : await waiting;
    answer = await tool.run({ plane: deps.plane, view: surface.view, frame, correlation, args });
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const retry = error instanceof CallFailure ? error.retry : nothingSent;
    const { code, message } = error;
    const { reason, hint } = error instanceof CallFailure ? error : none;
    answer = { document: errorEnvelope(correlation, retry, { code, message, reason, hint }) };
  } finally {
    frame.end();
  }
  const { document, dataText } = answer;
  if (isEnvelope(document)) checkTurn(frame, document);
  if (document.ok === true && isQuestion(document.data)) {
    return { kind: 'result', result: toResult(given, document.data) };
  }
  return { kind: 'document', document, dataText };
}

const none = Object.freeze({ reason: undefined, hint: undefined });

/** A turn may be given with the arguments, as in a body of the HTTP API; that of the request itself counts first. */
function withTurnOf({ request_state, input_responses }: JsonObject, frame: CallFrame): CallFrame {
  if (request_state === undefined && input_responses === undefined) return frame;
  return {
    ...(typeof request_state === 'string' && request_state !== '' ? { requestState: request_state } : {}),
    ...(isJsonObject(input_responses) ? { inputResponses: input_responses } : {}),
    ...frame,
  };
}

function isEnvelope(document: FacadeAnswer['document']): document is Envelope {
  return typeof document.ok === 'boolean' && document.retry !== undefined; // some documents have `ok`, none says what a repeat means
}

/** As structured content, and as text for clients that know no other. */
function toFacadeResult(answer: FacadeAnswer): JsonObject {
  const { document, dataText } = answer;
  const isError = isFailure(document);
  const data = document.data as JsonValue; // an envelope is a JSON object as well
  const exact = exactData({ data, dataText });
  return gatherExact({
    content: [{ type: 'text', text: answerText(answer) }],
    structuredContent: (exact === data ? document : withMember(document, 'data', exact)) as JsonObject,
    ...(isError ? { isError } : {}),
  });
}

export function answerText({ document, dataText }: FacadeAnswer): string {
  return dataText === undefined ? documentText(document) : envelopeText(document as Envelope, dataText); // only one has data
}

/** Whether a document of the facade is an error. */
export function isFailure({ ok, error }: JsonObject | Envelope): boolean {
  return ok === false && typeof error === 'object';
}
