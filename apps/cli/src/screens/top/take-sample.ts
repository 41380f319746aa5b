// Asks a daemon how it is doing, once.
import { type Answers, type ApiClient, ApiError } from '@portico/client';
import { lockNeedsOf } from '@portico/contracts';
import { parseCounts } from './metrics-text.js';
import { shownCalls } from './state.js';
import type { Sample } from './traffic.js';

export type TopClient = Pick<
  ApiClient,
  | 'listActivity'
  | 'listServers'
  | 'listApprovals'
  | 'listTasks'
  | 'listSamplingRequests'
  | 'getLock'
  | 'getMetrics'
  | 'getServerLogs'
  | 'restartServer'
  | 'explainTrace'
  | 'streamActivity'
  | 'streamUpdates'
>;

/** More than a person decides at once, of each kind. */
const most = 50;

/** Roles that may not read metrics or what waits see the rest. @throws as the client does */
export async function takeSample(client: TopClient, nowMs: () => number, signal?: AbortSignal): Promise<Sample> {
  const at = { signal };
  const [{ servers }, approvals, tasks, sampling, lock, counts] = await Promise.all([
    client.listServers(at),
    allowed(oldestTickets(client, signal)),
    allowed(client.listTasks({ status: 'input_required', limit: most }, at)),
    allowed(client.listSamplingRequests({ status: 'pending', limit: most }, at)),
    allowed(client.getLock(at)),
    allowed(client.getMetrics(at).then(parseCounts)),
  ]);
  const waiting = {
    tickets: approvals?.approvals ?? [],
    ticketCount: approvals?.total ?? 0,
    questions: tasks?.tasks ?? [],
    requests: sampling?.requests ?? [],
    ...(lock === null ? {} : { lock: lockNeedsOf(lock) }),
  };
  return { atMs: nowMs(), servers, waiting, counts };
}

/** They are listed newest first: those that expire first are on the last page. */
async function oldestTickets(client: TopClient, signal?: AbortSignal): Promise<Answers['listApprovals']> {
  const newest = await client.listApprovals({ status: 'pending', limit: most }, { signal });
  if (newest.total <= most) return newest;
  return client.listApprovals({ status: 'pending', limit: most, offset: newest.total - most }, { signal });
}

/** The last calls, newest first; null if our role may not read them. @throws as the client does */
export function takeCalls(client: TopClient, signal?: AbortSignal): Promise<Answers['listActivity'] | null> {
  return allowed(client.listActivity({ limit: shownCalls }, { signal }));
}

/** Null if our role may not ask, and where the daemon is of a version that has no such route. */
async function allowed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}
