// Maps operations to their shapes. Nothing here runs: types only, taken from the schemas of the service.
import type {
  ActivityRange,
  accessAnswerSchema,
  activityListSchema,
  activitySeriesSchema,
  aliasUpdatedSchema,
  approvalAnswerSchema,
  approvalsListSchema,
  approvedAnswerSchema,
  approveRequestSchema,
  auditAnswerSchema,
  auditListSchema,
  auditSeriesSchema,
  auditStatsSchema,
  auditUsageSchema,
  auditVerifySchema,
  BatchCallResponse,
  batchCallRequestSchema,
  CapabilityDescribeResponse,
  ClientAction,
  callCapabilityRequestSchema,
  cancelAnswerSchema,
  capabilitiesListSchema,
  catalogEventsSchema,
  clientChangeSchema,
  clientMoveRequestSchema,
  clientMoveSchema,
  clientPreviewSchema,
  clientsListSchema,
  completionRequestSchema,
  completionResponseSchema,
  configAnswerSchema,
  consoleCodeSchema,
  consoleSessionRequestSchema,
  consoleSessionSchema,
  createdMessageSchema,
  createMessageRequestSchema,
  Explanation,
  ecosystemSchema,
  framesListSchema,
  getPromptRequestSchema,
  healthSchema,
  idempotencyAnswerSchema,
  idempotencyListSchema,
  importedSchema,
  importRequestSchema,
  JsonObject,
  lockAcceptedSchema,
  lockAcceptRequestSchema,
  lockDriftSchema,
  lockStateSchema,
  lockVerifyRequestSchema,
  noticesListSchema,
  noticesTestedSchema,
  noticeTestRequestSchema,
  policyInForceSchema,
  policyPreviewedSchema,
  policyPreviewRequestSchema,
  policyRequestSchema,
  policyRulesSchema,
  policyTestedSchema,
  policyTestRequestSchema,
  policyVerdictsSchema,
  profileDeletedSchema,
  profileRequestSchema,
  profileUpdatedSchema,
  promptsListSchema,
  readinessSchema,
  readResourceRequestSchema,
  rejectRequestSchema,
  reloadedSchema,
  resourcesListSchema,
  respondRequestSchema,
  SearchResponse,
  SuccessEnvelope,
  samplingAnswerSchema,
  samplingListSchema,
  searchRequestSchema,
  serverDeletedSchema,
  serverLogsResponseSchema,
  serverRestartedSchema,
  serversResponseSchema,
  serverUpsertedSchema,
  sourcesSchema,
  TaskRecord,
  taskRespondRequestSchema,
  traceFramesSchema,
  tracesListSchema,
  unmatchedRulesSchema,
  updateAliasRequestSchema,
  upsertServerRequestSchema,
} from '@portico/contracts';
import type { InferInput, InferOutput } from 'valibot';

/** The body of a 200 (or 202) answer, by operation. */
export interface Answers {
  listCapabilities: InferOutput<typeof capabilitiesListSchema>;
  searchCapabilities: SearchResponse;
  describeCapability: CapabilityDescribeResponse;
  listResources: InferOutput<typeof resourcesListSchema>;
  listPrompts: InferOutput<typeof promptsListSchema>;
  callTool: SuccessEnvelope;
  callBatch: BatchCallResponse;
  readResource: SuccessEnvelope;
  getPrompt: SuccessEnvelope;
  complete: InferOutput<typeof completionResponseSchema>;
  cancelOperation: InferOutput<typeof cancelAnswerSchema>;
  listIdempotencyRecords: InferOutput<typeof idempotencyListSchema>;
  getIdempotencyRecord: InferOutput<typeof idempotencyAnswerSchema>;
  listApprovals: InferOutput<typeof approvalsListSchema>;
  getApproval: InferOutput<typeof approvalAnswerSchema>;
  approve: InferOutput<typeof approvedAnswerSchema>;
  reject: InferOutput<typeof approvalAnswerSchema>;
  listNotices: InferOutput<typeof noticesListSchema>;
  testNotices: InferOutput<typeof noticesTestedSchema>;
  createMessage: InferOutput<typeof createdMessageSchema>;
  listSamplingRequests: InferOutput<typeof samplingListSchema>;
  getSamplingRequest: InferOutput<typeof samplingAnswerSchema>;
  respondToSamplingRequest: InferOutput<typeof samplingAnswerSchema>;
  listTasks: { readonly ok: true; readonly tasks: readonly TaskRecord[]; readonly total: number };
  getTask: { readonly ok: true; readonly task: TaskRecord };
  respondToTask: { readonly ok: true; readonly task: TaskRecord };
  cancelTask: { readonly ok: true; readonly task: TaskRecord };
  listAuditEvents: InferOutput<typeof auditListSchema>;
  getAuditEvent: InferOutput<typeof auditAnswerSchema>;
  verifyAudit: InferOutput<typeof auditVerifySchema>;
  getAuditStats: InferOutput<typeof auditStatsSchema>;
  getAuditSeries: InferOutput<typeof auditSeriesSchema>;
  getAuditUsage: InferOutput<typeof auditUsageSchema>;
  listActivity: InferOutput<typeof activityListSchema>;
  getActivitySeries: InferOutput<typeof activitySeriesSchema>;
  listFrames: InferOutput<typeof framesListSchema>;
  listTraceFrames: InferOutput<typeof traceFramesSchema>;
  getLock: InferOutput<typeof lockStateSchema>;
  getLockDrift: InferOutput<typeof lockDriftSchema>;
  acceptDrift: InferOutput<typeof lockAcceptedSchema>;
  verifyLock: InferOutput<typeof lockDriftSchema>;
  listTraces: InferOutput<typeof tracesListSchema>;
  explainTrace: { readonly ok: true; readonly explanation: Explanation; readonly frames?: number };
  listCatalogEvents: InferOutput<typeof catalogEventsSchema>;
  getEcosystem: InferOutput<typeof ecosystemSchema>;
  listSources: InferOutput<typeof sourcesSchema>;
  listClients: InferOutput<typeof clientsListSchema>;
  previewClient: InferOutput<typeof clientPreviewSchema>;
  attachClient: InferOutput<typeof clientChangeSchema>;
  moveClient: InferOutput<typeof clientMoveSchema>;
  detachClient: InferOutput<typeof clientChangeSchema>;
  undoClient: InferOutput<typeof clientChangeSchema>;
  listServers: InferOutput<typeof serversResponseSchema>;
  getServerLogs: InferOutput<typeof serverLogsResponseSchema>;
  getConfig: InferOutput<typeof configAnswerSchema>;
  upsertServer: InferOutput<typeof serverUpsertedSchema>;
  deleteServer: InferOutput<typeof serverDeletedSchema>;
  restartServer: InferOutput<typeof serverRestartedSchema>;
  updateAlias: InferOutput<typeof aliasUpdatedSchema>;
  mergePolicy: InferOutput<typeof policyInForceSchema>;
  testPolicy: InferOutput<typeof policyTestedSchema>;
  previewPolicy: InferOutput<typeof policyPreviewedSchema>;
  listPolicyRules: InferOutput<typeof policyRulesSchema>;
  listPolicyVerdicts: InferOutput<typeof policyVerdictsSchema>;
  listUnmatchedRules: InferOutput<typeof unmatchedRulesSchema>;
  putProfile: InferOutput<typeof profileUpdatedSchema>;
  deleteProfile: InferOutput<typeof profileDeletedSchema>;
  importServers: InferOutput<typeof importedSchema>;
  reloadConfig: InferOutput<typeof reloadedSchema>;
  createConsoleCode: InferOutput<typeof consoleCodeSchema>;
  openConsoleSession: InferOutput<typeof consoleSessionSchema>;
  getAccess: InferOutput<typeof accessAnswerSchema>;
  getHealth: InferOutput<typeof healthSchema>;
  getReadiness: InferOutput<typeof readinessSchema>;
  getOpenApi: JsonObject;
}

/** Every operation that answers with a JSON document. */
export type OperationId = keyof Answers;

/** The body of a request, by operation. */
export interface Bodies {
  searchCapabilities: InferInput<typeof searchRequestSchema>;
  callTool: InferInput<typeof callCapabilityRequestSchema>;
  callBatch: InferInput<typeof batchCallRequestSchema>;
  readResource: InferInput<typeof readResourceRequestSchema>;
  getPrompt: InferInput<typeof getPromptRequestSchema>;
  complete: InferInput<typeof completionRequestSchema>;
  approve: InferInput<typeof approveRequestSchema>;
  reject: InferInput<typeof rejectRequestSchema>;
  testNotices: InferInput<typeof noticeTestRequestSchema>;
  acceptDrift: InferInput<typeof lockAcceptRequestSchema>;
  verifyLock: InferInput<typeof lockVerifyRequestSchema>;
  createMessage: InferInput<typeof createMessageRequestSchema>;
  respondToSamplingRequest: InferInput<typeof respondRequestSchema>;
  respondToTask: InferInput<typeof taskRespondRequestSchema>;
  upsertServer: InferInput<typeof upsertServerRequestSchema>;
  updateAlias: InferInput<typeof updateAliasRequestSchema>;
  mergePolicy: InferInput<typeof policyRequestSchema>;
  testPolicy: InferInput<typeof policyTestRequestSchema>;
  previewPolicy: InferInput<typeof policyPreviewRequestSchema>;
  putProfile: InferInput<typeof profileRequestSchema>;
  importServers: InferInput<typeof importRequestSchema>;
  moveClient: InferInput<typeof clientMoveRequestSchema>;
  openConsoleSession: InferInput<typeof consoleSessionRequestSchema>;
}

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
  getAuditUsage: AuditFilters;
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
