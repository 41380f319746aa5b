// The OpenAPI document says what the route table says, and the list of operations is pinned.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi.js';
import { routes } from './routes.js';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly headers?: object }>>;
}
interface Content {
  readonly 'application/json'?: { readonly schema: object };
}

// The document is made of JSON; these tests check that it has this shape.
const document = openApiDocument('1.2.3') as unknown as {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: { readonly ErrorEnvelope: object } };
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('openApiDocument', () => {
  it('has these operations', () => {
    expect(operations.map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`)).toEqual([
      'listCapabilities get /v1/capabilities',
      'searchCapabilities post /v1/capabilities/search',
      'describeCapability get /v1/capabilities/{id}',
      'listResources get /v1/resources',
      'listPrompts get /v1/prompts',
      'callTool post /v1/tools/call',
      'callBatch post /v1/tools/batch_call',
      'readResource post /v1/resources/read',
      'getPrompt post /v1/prompts/get',
      'complete post /v1/completion/complete',
      'cancelOperation post /v1/operations/{id}/cancel',
      'listIdempotencyRecords get /v1/idempotency/records',
      'getIdempotencyRecord get /v1/idempotency/records/{key}',
      'listApprovals get /v1/approvals',
      'getApproval get /v1/approvals/{id}',
      'approve post /v1/approvals/{id}/approve',
      'reject post /v1/approvals/{id}/reject',
      'listNotices get /v1/notices',
      'testNotices post /v1/notices/test',
      'listBudgets get /v1/budgets',
      'resetBudget post /v1/budgets/{id}/reset',
      'listGrants get /v1/grants',
      'getGrant get /v1/grants/{id}',
      'revokeGrant delete /v1/grants/{id}',
      'createMessage post /v1/sampling/create_message',
      'listSamplingRequests get /v1/sampling/requests',
      'getSamplingRequest get /v1/sampling/requests/{id}',
      'respondToSamplingRequest post /v1/sampling/requests/{id}/respond',
      'listTasks get /v1/tasks',
      'getTask get /v1/tasks/{id}',
      'respondToTask post /v1/tasks/{id}/respond',
      'cancelTask post /v1/tasks/{id}/cancel',
      'listAuditEvents get /v1/audit/events',
      'getAuditEvent get /v1/audit/events/{id}',
      'verifyAudit get /v1/audit/verify',
      'getAuditStats get /v1/audit/stats',
      'getAuditSeries get /v1/audit/series',
      'getAuditUsage get /v1/audit/usage',
      'exportAudit get /v1/audit/export',
      'listActivity get /v1/activity',
      'streamActivity get /v1/activity/stream',
      'getActivitySeries get /v1/activity/series',
      'listFrames get /v1/inspect',
      'streamFrames get /v1/inspect/stream',
      'listTraceFrames get /v1/traces/{id}/frames',
      'getLock get /v1/lock',
      'getLockDrift get /v1/lock/drift',
      'acceptDrift post /v1/lock/accept',
      'verifyLock post /v1/lock/verify',
      'listTraces get /v1/traces',
      'explainTrace get /v1/traces/{id}/explain',
      'listCatalogEvents get /v1/catalog/events',
      'streamUpdates get /v1/resources/updates',
      'getEcosystem get /v1/config/ecosystem',
      'listSources get /v1/config/sources',
      'listClients get /v1/clients',
      'previewClient get /v1/clients/{id}/preview',
      'attachClient post /v1/clients/{id}/attach',
      'moveClient post /v1/clients/{id}/move',
      'detachClient post /v1/clients/{id}/detach',
      'undoClient post /v1/clients/{id}/undo',
      'listServers get /v1/servers',
      'getServerLogs get /v1/servers/{id}/logs',
      'getConfig get /v1/config',
      'upsertServer post /v1/config/servers',
      'deleteServer delete /v1/config/servers/{id}',
      'restartServer post /v1/config/servers/{id}/restart',
      'updateAlias post /v1/config/alias',
      'mergePolicy post /v1/config/policy',
      'testPolicy post /v1/config/policy/test',
      'previewPolicy post /v1/config/policy/preview',
      'listPolicyRules get /v1/config/policy/rules',
      'listPolicyVerdicts get /v1/config/policy/verdicts',
      'listUnmatchedRules get /v1/config/policy/unmatched',
      'putProfile post /v1/config/profiles',
      'deleteProfile delete /v1/config/profiles/{id}',
      'importServers post /v1/config/import',
      'reloadConfig post /v1/config/reload',
      'createConsoleCode post /v1/console/codes',
      'openConsoleSession post /v1/console/sessions',
      'getHealth get /healthz',
      'getReadiness get /readyz',
      'getAccess get /v1/access',
      'getMetrics get /metrics',
      'getOpenApi get /v1/openapi.json',
      'openConsole get /',
      'openConsoleHome get /ui',
      'openConsoleFile get /ui/{path}',
    ]);
  });

  it('has every route of the table once', () => {
    const key = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`;
    expect(operations.map(key).sort()).toEqual(routes.map(key).sort());
    expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length);
  });

  it('names its own version and that of the product', () => {
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.2.3']);
  });

  it.each(operations)('describes $method $path: its parameters, its body and its answers', ({ path, operation }) => {
    const route = routes.find(({ operationId }) => operationId === operation.operationId);
    const parameters = operation.parameters.map(({ name }) => name);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath);
    expect(parameters.includes('X-Service-Profile')).toBe(route?.takesProfile);
    expect(parameters.includes('If-None-Match')).toBe(route?.conditional);
    expect(operation.requestBody !== undefined).toBe(route?.body !== undefined);
    expect(Object.keys(operation.responses)).toEqual(
      [
        200,
        ...(route?.mayWait || route?.accepted ? [202] : []),
        ...(route?.conditional ? [304] : []),
        ...(route?.failures ?? []),
        ...[401, 403, 417, 431], // of any request, before a route is looked up
      ]
        .sort((a, b) => a - b)
        .map(String),
    );
  });

  it('holds schemas that compile', () => {
    const schemas = operations.flatMap(({ operation }) => [
      operation.requestBody?.content['application/json']?.schema,
      operation.responses[200]?.content?.['application/json']?.schema,
    ]);
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    for (const schema of [...schemas, document.components.schemas.ErrorEnvelope]) {
      if (schema !== undefined) expect(typeof ajv.compile(schema)).toBe('function');
    }
  });

  it('asks for an object where a call takes arguments', () => {
    const call = document.paths['/v1/tools/call']?.post;
    expect(call?.requestBody?.content['application/json']?.schema).toMatchObject({
      required: ['capability_id', 'args'],
      properties: { args: { type: 'object' } },
    });
  });
});
