// The operator during the soak: verifies the audit log, reads the configuration again, restarts failed servers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../fuzz/src/service.js';
import type { Tally } from './tally.js';

const everyMs = 5000;

interface Listed {
  readonly servers: readonly { readonly id: string; readonly status: string; readonly restarts: number }[];
}

/** Resolves with how often the audit log was verified, once the signal aborts. */
export async function operate(
  service: Service,
  servers: readonly string[],
  tally: Tally,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  let rounds = 0;
  const startedAt = performance.now();
  while (!signal.aborted) {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    rounds += 1;
    try {
      const { report } = await service.get<{
        readonly report: { readonly is_valid: boolean; readonly details: string };
      }>('/v1/audit/verify');
      if (!report.is_valid) tally.problem(`the audit log is not valid: ${report.details}`);
      const listed = await service.get<Listed>('/v1/servers');
      // A server that fails again and again is left alone for up to 30 s; a soak of a server that is away shows nothing.
      for (const { id, status } of listed.servers) {
        if (servers.includes(id) && status !== 'connected') await service.post(`/v1/config/servers/${id}/restart`, {});
      }
      if (rounds % 2 === 0) await service.post('/v1/config/reload', {});
      if (rounds % 6 === 0)
        say(
          `  ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${listed.servers.map(({ id, status, restarts }) => `${id} ${status} ${restarts}`).join(', ')}`,
        );
    } catch (error) {
      tally.problem(`the operator: ${error}`);
    }
  }
  return rounds;
}
