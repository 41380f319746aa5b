// Asks a daemon how it is doing, once.
import { type ApiClient, ApiError } from '@portico/client';
import { parseCounts } from './metrics-text.js';
import type { Sample } from './traffic.js';

export type TopClient = Pick<
  ApiClient,
  'listActivity' | 'listServers' | 'listApprovals' | 'getMetrics' | 'getServerLogs' | 'restartServer' | 'streamUpdates'
>;

/** Calls that are shown. */
const shownCalls = 10;

/** Roles that may not read metrics, approvals or calls see the rest. @throws as the client does */
export async function takeSample(client: TopClient, nowMs: () => number, signal?: AbortSignal): Promise<Sample> {
  const [{ servers }, approvalsPending, counts, calls] = await Promise.all([
    client.listServers({ signal }),
    allowed(client.listApprovals({ status: 'pending', limit: 1 }, { signal }).then(({ total }) => total)),
    allowed(client.getMetrics({ signal }).then(parseCounts)),
    allowed(client.listActivity({ limit: shownCalls }, { signal }).then((answer) => answer.calls)),
  ]);
  return { atMs: nowMs(), servers, approvalsPending: approvalsPending ?? 0, counts, calls };
}

/** Null where our role may not ask, and where the daemon is of a version that has no such route. */
async function allowed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}
