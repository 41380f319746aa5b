// Maps operations to their shapes. Nothing here runs: types only. Answers and bodies are those of the route table. Queries are
// texts there, so their types are here.
import type {
  ActivityRange,
  BatchCallResponse,
  CapabilityDescribeResponse,
  ClientAction,
  Explanation,
  JsonObject,
  RouteTable,
  SearchResponse,
  SuccessEnvelope,
  TaskRecord,
} from '@portico/contracts';
import type { GenericSchema, InferInput, InferOutput } from 'valibot';

type Schemas<Part extends 'answer' | 'body'> = {
  [Id in keyof RouteTable]: RouteTable[Id] extends { readonly [_ in Part]: infer Schema extends GenericSchema }
    ? Schema
    : never;
};
type WithSchema<Part extends 'answer' | 'body'> = {
  [Id in keyof RouteTable]: [Schemas<Part>[Id]] extends [never] ? never : Id;
}[keyof RouteTable];

/** Answers whose types say more than their schemas, which leave what a server sent open. */
interface ExactAnswers {
  searchCapabilities: SearchResponse;
  describeCapability: CapabilityDescribeResponse;
  callTool: SuccessEnvelope;
  callBatch: BatchCallResponse;
  readResource: SuccessEnvelope;
  getPrompt: SuccessEnvelope;
  listTasks: { readonly ok: true; readonly tasks: readonly TaskRecord[]; readonly total: number };
  getTask: { readonly ok: true; readonly task: TaskRecord };
  respondToTask: { readonly ok: true; readonly task: TaskRecord };
  cancelTask: { readonly ok: true; readonly task: TaskRecord };
  explainTrace: { readonly ok: true; readonly explanation: Explanation; readonly frames?: number };
  getOpenApi: JsonObject;
}

/** The body of a 200 (or 202) answer, by operation. */
export type Answers = ExactAnswers & {
  [Id in Exclude<WithSchema<'answer'>, keyof ExactAnswers>]: InferOutput<Schemas<'answer'>[Id]>;
};

/** Every operation that answers with a JSON document. */
export type OperationId = keyof Answers;

/** The body of a request, by operation. */
export type Bodies = { [Id in WithSchema<'body'>]: InferInput<Schemas<'body'>[Id]> };

export interface Page {
  /** Entries at most; 50 by default. */
  readonly limit?: number | undefined;
  /** Entries to leave out at the start. */
  readonly offset?: number | undefined;
}

export interface AuditFilters {
  readonly actor_id?: string | undefined;
  readonly capability_id?: string | undefined;
  readonly event_type?: string | undefined;
  readonly status?: string | undefined;
  readonly server_id?: string | undefined;
  readonly trace_id?: string | undefined;
  /** RFC 3339 or Unix seconds, as `end_time`. */
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
  /** Words that the record holds somewhere. */
  readonly q?: string | undefined;
  /** Name of the program that asked, as it names itself. */
  readonly client?: string | undefined;
  readonly channel?: string | undefined;
  /** `any`, or one shadow rule as `deny:github.*`. */
  readonly shadow?: string | undefined;
  /** The rule that decided, as `deny:github.*`. */
  readonly rule?: string | undefined;
}

export interface ActivityFilters {
  /** Name of the program that asked, as it names itself. */
  readonly client?: string | undefined;
  readonly capability?: string | undefined;
  readonly status?: string | undefined;
}

export interface FrameFilters {
  /** Id of the server. */
  readonly server?: string | undefined;
  /** The JSON-RPC method: `tools/call`. */
  readonly method?: string | undefined;
  readonly direction?: 'sent' | 'received' | undefined;
  readonly trace_id?: string | undefined;
}

/** The query of a request, by operation. */
export interface Queries {
  listIdempotencyRecords: Page;
  listApprovals: Page & { readonly status?: string | undefined };
  listGrants: Page & { readonly state?: string | undefined };
  listSamplingRequests: Page & { readonly status?: string | undefined; readonly server_id?: string | undefined };
  listTasks: Page & { readonly status?: string | undefined };
  listAuditEvents: Page & AuditFilters;
  getLockDrift: Page & { readonly server?: string | undefined };
  listTraces: {
    readonly limit?: number | undefined;
    /** RFC 3339 or Unix seconds. */
    readonly since?: string | undefined;
    readonly client?: string | undefined;
    readonly status?: string | undefined;
  };
  /** `buckets` is 60 by default, and 200 at most. */
  getAuditSeries: AuditFilters & { readonly buckets?: number | undefined };
  getAuditUsage: AuditFilters & { readonly by?: 'capability' | 'actor' | undefined };
  listPolicyVerdicts: { readonly profile?: string | undefined; readonly role?: string | undefined };
  exportAudit: AuditFilters & { readonly format?: 'jsonl' | 'csv' | 'checkpoints' | undefined };
  /** `limit` is 50 by default, and 500 at most. */
  listActivity: ActivityFilters & { readonly limit?: number | undefined };
  getActivitySeries: { readonly range?: ActivityRange | undefined };
  listFrames: FrameFilters & {
    /** 50 by default, and 500 at most. */
    readonly limit?: number | undefined;
    /** RFC 3339 or Unix seconds. */
    readonly since?: string | undefined;
  };
  previewClient: { readonly action: ClientAction };
  listCatalogEvents: { readonly after?: string | undefined };
}
