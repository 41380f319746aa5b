// Implements the facade's own tools on checked arguments. A failure is a PorticoError.
import { type CatalogView, type ListName, listDocument } from '@portico/catalog-core';
import type { Correlation } from '@portico/contracts';
import {
  type BatchStep,
  type CompletionRequest,
  defaultSearchLimit,
  type Envelope,
  isAppOnly,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  PorticoError,
  type RequestContext,
} from '@portico/contracts';
import type { Call, ControlPlane, SearchRequest } from '@portico/control-plane';
import type { CallFrame } from '../calls/call-frame.js';

export interface ActionInput {
  readonly plane: ControlPlane;
  readonly view: CatalogView;
  readonly frame: CallFrame;
  readonly correlation: Correlation;
  readonly args: JsonObject;
}

/** The document that the HTTP route answers with. */
export interface FacadeAnswer {
  readonly document: JsonObject | Envelope;
  /** The JSON text of an envelope's data, as an `Outcome` has it. */
  readonly dataText?: string | undefined;
}

/** @throws PorticoError */
export type FacadeAction = (input: ActionInput) => Promise<FacadeAnswer>;

const list =
  (name: ListName): FacadeAction =>
  async ({ view }) => ({ document: listDocument(view, name) });

/** A model reads these lists, and no host can take out what is for the pages of MCP Apps only. */
const pageOnlyIds = ({ capabilities }: CatalogView) =>
  new Set(capabilities.filter(({ definition }) => isAppOnly(definition._meta)).map(({ id }) => id));

export const listCapabilities: FacadeAction = async ({ view }) => {
  const hidden = pageOnlyIds(view);
  const document = listDocument(view, 'capabilities');
  if (hidden.size === 0) return { document };
  const capabilities = view.capabilities.filter(({ id }) => !hidden.has(id)).map(({ item }) => ({ ...item }));
  return { document: { ...document, capabilities } };
};
export const listResources = list('resources');
export const listPrompts = list('prompts');

export const searchCapabilities: FacadeAction = async ({ plane, view, frame, args }) => {
  const request = args as SearchRequest;
  const hidden = pageOnlyIds(view);
  const limit = request.limit ?? defaultSearchLimit;
  const found = await plane.search(
    frame.caller,
    hidden.size === 0 ? request : { ...request, limit: limit + hidden.size },
  );
  const capabilities = found.capabilities.filter(({ id }) => !hidden.has(id)).slice(0, limit);
  return { document: { ...found, capabilities } };
};

export const describeCapability: FacadeAction = async ({ plane, frame, args }) => {
  const { capability } = plane.describe(frame.caller, textOf(args.capability_id));
  return { document: { version: 'v1', capability: { ...capability } as JsonObject } };
};

export const callCapability: FacadeAction = (input) =>
  execute(input, { kind: 'tool', id: textOf(input.args.capability_id), args: objectOf(input.args.args) });

export const readResource: FacadeAction = (input) =>
  execute(input, { kind: 'resource', id: textOf(input.args.resource_id), args: {} });

export const getPrompt: FacadeAction = (input) =>
  execute(input, { kind: 'prompt', id: textOf(input.args.prompt_id), args: objectOf(input.args.arguments) });

export const callBatch: FacadeAction = async ({ plane, frame, correlation, args }) => {
  const { caller, signal, client } = frame;
  const steps = args.steps as unknown as readonly BatchStep[]; // checked against the request's schema
  const batch = { steps, correlation, caller, signal, client, idempotencyKey: keyOf(args) };
  const answer = await plane.executeBatch(batch);
  return { document: { ...answer } as unknown as JsonObject }; // data of steps is JSON
};

export const complete: FacadeAction = async ({ plane, frame, correlation, args }) => {
  const request = args as unknown as CompletionRequest; // checked against the request's schema
  const { caller, signal } = frame;
  const data = await plane.complete({ request, correlation, caller, signal });
  return { document: { ok: true, trace_id: correlation.traceId, data: { ...data } } };
};

export const approvalStatus: FacadeAction = async ({ plane, view, frame, args }) => {
  const id = textOf(args.approval_id);
  const { caller } = frame;
  const isAdmin = plane.state().policy.isAdmin(caller.role);
  const approval = await plane.approvals.get(id, isAdmin ? undefined : caller);
  if (approval === undefined || !view.hasServer(approval.server_id)) {
    throw new PorticoError('RESOURCE_NOT_FOUND', `no approval "${id}"`);
  }
  return { document: { ok: true, approval: { ...approval } as unknown as JsonObject } };
};

export const taskStatus: FacadeAction = async ({ plane, frame, args }) => {
  const id = textOf(args.task_id);
  const task = await plane.tasks.get(frame.caller, id);
  if (task === undefined) throw new PorticoError('RESOURCE_NOT_FOUND', `no task "${id}"`);
  return { document: { ok: true, task: { ...task } as unknown as JsonObject } }; // a record is JSON
};

function execute(
  { plane, frame, correlation, args }: ActionInput,
  what: Pick<Call, 'kind' | 'id' | 'args'>,
): Promise<FacadeAnswer> {
  const { kind, id, args: given } = what;
  const { caller, signal, approvalWaitMs, client } = frame;
  // Member by member: copying a frame takes longer than all other work on a call here.
  const call = {
    kind,
    id,
    args: given,
    caller,
    signal,
    approvalWaitMs,
    client,
    correlation,
    idempotencyKey: keyOf(args),
  };
  return plane.execute(withTurn(call, frame)).then(({ envelope, dataText }) => ({ document: envelope, dataText }));
}

function withTurn(call: Call, { inputResponses, requestState }: CallFrame): Call {
  if (inputResponses === undefined && requestState === undefined) return call;
  return {
    ...call,
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

export function requestIdsOf(args: JsonObject): { request_id: string | null; context: RequestContext | null } {
  return {
    request_id: textIn(args.request_id),
    context: (args.context ?? null) as RequestContext | null, // checked against the request's schema
  };
}

function keyOf(args: JsonObject): string | null {
  return textIn(args.idempotency_key);
}

/** An empty id or key counts as absent. */
function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
