// The kinds of ids on a command line, and the ids that exist: for completion, and for "did you mean". Both only help,
// so neither waits long, and neither fails when the daemon refuses or does not run.
import type { ApiClient } from '@portico/client';
import type { JsonValue } from '@portico/contracts';
import { isObject } from './is-object.js';

export type IdKind =
  | 'alias'
  | 'approval'
  | 'budget'
  | 'capability'
  | 'grant'
  | 'idempotency'
  | 'profile'
  | 'prompt'
  | 'resource'
  | 'sampling'
  | 'server'
  | 'task';

export type IdSource = Pick<
  ApiClient,
  | 'getConfig'
  | 'listApprovals'
  | 'listBudgets'
  | 'listCapabilities'
  | 'listGrants'
  | 'listIdempotencyRecords'
  | 'listPrompts'
  | 'listResources'
  | 'listSamplingRequests'
  | 'listServers'
  | 'listTasks'
>;

interface At {
  readonly signal: AbortSignal;
}

const lists: Readonly<Record<IdKind, (client: IdSource, at: At) => Promise<readonly string[]>>> = {
  alias: async (client, at) => {
    const { config } = await client.getConfig(at);
    return [config.capabilityAliases, config.resourceAliases, config.promptAliases].flatMap(keysOf);
  },
  approval: async (client, at) => (await client.listApprovals({}, at)).approvals.map(({ id }) => id),
  budget: async (client, at) => (await client.listBudgets(at)).budgets.map(({ id }) => id),
  capability: async (client, at) => (await client.listCapabilities(at)).capabilities.map(({ id }) => id),
  grant: async (client, at) => (await client.listGrants({}, at)).grants.map(({ grant_id }) => grant_id),
  idempotency: async (client, at) => (await client.listIdempotencyRecords({}, at)).records.map(({ key }) => key),
  profile: async (client, at) => Object.keys((await client.getConfig(at)).profiles),
  prompt: async (client, at) => (await client.listPrompts(at)).prompts.map(({ id }) => id),
  resource: async (client, at) => (await client.listResources(at)).resources.map(({ id }) => id),
  sampling: async (client, at) => (await client.listSamplingRequests({}, at)).requests.map(({ id }) => id),
  server: async (client, at) => {
    const running = (await client.listServers(at)).servers.map(({ id }) => id);
    return running.length > 0 ? running : keysOf((await client.getConfig(at)).config.mcpServers); // starts no daemon
  },
  task: async (client, at) => (await client.listTasks({}, at)).tasks.map(({ task_id }) => task_id),
};

/** Empty if they cannot be had within the limit. */
export async function idsOf(kind: IdKind, client: IdSource, limitMs: number): Promise<readonly string[]> {
  return lists[kind](client, { signal: AbortSignal.timeout(limitMs) }).catch(() => []);
}

function keysOf(value: JsonValue | undefined): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}
