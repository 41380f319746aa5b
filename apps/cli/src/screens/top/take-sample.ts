// Asks a daemon how it is doing, once.
import { type ApiClient, ApiError } from '@portico/client';
import { parseCounts } from './metrics-text.js';
import type { Sample } from './traffic.js';

export type TopClient = Pick<
  ApiClient,
  'listServers' | 'listApprovals' | 'getMetrics' | 'getServerLogs' | 'restartServer' | 'streamUpdates'
>;

/** Roles that may not read metrics or approvals see the rest. @throws as the client does */
export async function takeSample(client: TopClient, nowMs: () => number, signal?: AbortSignal): Promise<Sample> {
  const [{ servers }, approvalsPending, counts] = await Promise.all([
    client.listServers({ signal }),
    allowed(client.listApprovals({ status: 'pending', limit: 1 }, { signal }).then(({ total }) => total)),
    allowed(client.getMetrics({ signal }).then(parseCounts)),
  ]);
  return { atMs: nowMs(), servers, approvalsPending: approvalsPending ?? 0, counts };
}

async function allowed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  }
}
