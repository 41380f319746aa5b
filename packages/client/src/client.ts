// Every route of the service as a function under its operation id.
import type { RecentCall, WireFrame } from '@portico/contracts';
import { createRequests, type ReadOptions } from './requests.js';
import { type ClientOptions, createSend, textOf } from './send.js';
import type { ActivityFilters, FrameFilters, Queries } from './shapes.js';
import { toMessages, type UpdateMessage } from './updates.js';

/** Each throws `ApiError`, `UnreachableError` or `UnexpectedAnswerError`; an abort rejects with its reason. */
export type ApiClient = ReturnType<typeof createClient>;

export interface StreamOptions extends ReadOptions {
  /** Goes on behind this one. */
  readonly lastEventId?: string | undefined;
  /** Called when the service has accepted the request: later events will be delivered. */
  readonly onOpen?: (() => void) | undefined;
}

export type ActivityMessage =
  | { readonly event: 'call'; readonly id: string; readonly data: RecentCall }
  /** At most this many calls are left out here. */
  | { readonly event: 'dropped'; readonly data: { readonly count: number } };

export type FrameMessage =
  | { readonly event: 'frame'; readonly id: string; readonly data: WireFrame }
  /** This many messages are left out here. */
  | { readonly event: 'dropped'; readonly data: { readonly count: number } };

/** Opens nothing: a client holds an address and credentials, and every function is one request. */
export function createClient(options: ClientOptions) {
  const requests = createRequests(createSend(options));
  const { exchange, simple, byId, find, findOf, post, postTo } = requests;
  return {
    listCapabilities: simple('listCapabilities'),
    searchCapabilities: post('searchCapabilities'),
    describeCapability: byId('describeCapability'),
    listResources: simple('listResources'),
    listPrompts: simple('listPrompts'),
    listCatalogEvents: find('listCatalogEvents'),
    listActivity: find('listActivity'),
    getActivitySeries: find('getActivitySeries'),
    listFrames: find('listFrames'),
    listTraceFrames: byId('listTraceFrames'),
    callTool: post('callTool'),
    callBatch: post('callBatch'),
    readResource: post('readResource'),
    getPrompt: post('getPrompt'),
    complete: post('complete'),
    cancelOperation: byId('cancelOperation'),
    listIdempotencyRecords: find('listIdempotencyRecords'),
    getIdempotencyRecord: byId('getIdempotencyRecord'),
    listApprovals: find('listApprovals'),
    getApproval: byId('getApproval'),
    approve: postTo('approve'),
    reject: postTo('reject'),
    listNotices: simple('listNotices'),
    testNotices: post('testNotices'),
    createMessage: post('createMessage'),
    listSamplingRequests: find('listSamplingRequests'),
    getSamplingRequest: byId('getSamplingRequest'),
    respondToSamplingRequest: postTo('respondToSamplingRequest'),
    listTasks: find('listTasks'),
    getTask: byId('getTask'),
    respondToTask: postTo('respondToTask'),
    cancelTask: byId('cancelTask'),
    getLock: simple('getLock'),
    getLockDrift: find('getLockDrift'),
    acceptDrift: post('acceptDrift'),
    verifyLock: post('verifyLock'),
    listServers: simple('listServers'),
    getServerLogs: byId('getServerLogs'),
    getConfig: simple('getConfig'),
    upsertServer: post('upsertServer'),
    deleteServer: byId('deleteServer'),
    restartServer: byId('restartServer'),
    updateAlias: post('updateAlias'),
    mergePolicy: post('mergePolicy'),
    testPolicy: post('testPolicy'),
    previewPolicy: post('previewPolicy'),
    listPolicyRules: simple('listPolicyRules'),
    listPolicyVerdicts: find('listPolicyVerdicts'),
    listUnmatchedRules: simple('listUnmatchedRules'),
    putProfile: post('putProfile'),
    deleteProfile: byId('deleteProfile'),
    importServers: post('importServers'),
    reloadConfig: simple('reloadConfig'),
    getEcosystem: simple('getEcosystem'),
    listSources: simple('listSources'),
    listClients: simple('listClients'),
    previewClient: findOf('previewClient'),
    attachClient: byId('attachClient'),
    moveClient: postTo('moveClient'),
    detachClient: byId('detachClient'),
    undoClient: byId('undoClient'),
    createConsoleCode: simple('createConsoleCode'),
    openConsoleSession: post('openConsoleSession'),
    getAccess: simple('getAccess'),
    getHealth: simple('getHealth'),
    getReadiness: simple('getReadiness'),
    getOpenApi: simple('getOpenApi'),

    /** Prometheus text. */
    async getMetrics(at: ReadOptions = {}): Promise<string> {
      return (await exchange('getMetrics', at)).text();
    },

    ...createSafety(requests),
    ...createAuditReads(requests),
    ...createStreams(exchange),
  };
}

/** Budgets, and approvals that are kept for later calls. */
function createSafety({ simple, byId, find, postTo }: ReturnType<typeof createRequests>) {
  return {
    listBudgets: simple('listBudgets'),
    resetBudget: postTo('resetBudget'),
    listGrants: find('listGrants'),
    getGrant: byId('getGrant'),
    revokeGrant: byId('revokeGrant'),
  };
}

/** Reads of the audit log. */
function createAuditReads({ simple, byId, find }: ReturnType<typeof createRequests>) {
  return {
    listAuditEvents: find('listAuditEvents'),
    getAuditEvent: byId('getAuditEvent'),
    verifyAudit: simple('verifyAudit'),
    getAuditStats: simple('getAuditStats'),
    getAuditSeries: find('getAuditSeries'),
    getAuditUsage: find('getAuditUsage'),
    listTraces: find('listTraces'),
    explainTrace: byId('explainTrace'),
  };
}

/** Requests with an answer that arrives in pieces. */
function createStreams(exchange: ReturnType<typeof createRequests>['exchange']) {
  return {
    /** The records that match, as text in pieces of any size: one JSON line a record, or CSV. */
    async *exportAudit(query: Queries['exportAudit'] = {}, at: ReadOptions = {}): AsyncGenerator<string> {
      yield* textOf(await exchange('exportAudit', { ...at, query }), at.signal);
    },

    /** Calls as they end, and how many were left out, until the signal aborts or the service ends the stream. */
    async *streamActivity(query: ActivityFilters = {}, at: StreamOptions = {}): AsyncGenerator<ActivityMessage> {
      const response = await exchange('streamActivity', { headers: lastIdOf(at), query, signal: at.signal });
      at.onOpen?.();
      for await (const { event, data, id } of toMessages(textOf(response, at.signal)))
        if (event === 'call' || event === 'dropped') yield { event, data, id } as ActivityMessage; // of its own schema
    },

    /** Messages as they pass, and how many were left out, until the signal aborts or the service ends the stream. */
    async *streamFrames(query: FrameFilters = {}, at: StreamOptions = {}): AsyncGenerator<FrameMessage> {
      const response = await exchange('streamFrames', { headers: lastIdOf(at), query, signal: at.signal });
      at.onOpen?.();
      for await (const { event, data, id } of toMessages(textOf(response, at.signal)))
        if (event === 'frame' || event === 'dropped') yield { event, data, id } as FrameMessage; // of its own schema
    },

    /** Changes as they happen, until the signal aborts or the service ends the stream. */
    async *streamUpdates(at: StreamOptions = {}): AsyncGenerator<UpdateMessage> {
      const response = await exchange('streamUpdates', { headers: lastIdOf(at), signal: at.signal });
      at.onOpen?.();
      yield* toMessages(textOf(response, at.signal));
    },
  };
}

function lastIdOf({ lastEventId }: StreamOptions): Record<string, string> {
  return lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
}
