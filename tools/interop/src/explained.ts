// Differences that are known, and why they are there. A difference that is not among them fails the run, and so does an
// entry that no longer explains one.
import type { Target } from './clients.js';
import type { Step } from './run-client.js';
import type { Row } from './try-clients.js';

export interface Explained {
  /** Id of the client. */
  readonly client: string;
  readonly route: Target['kind'];
  readonly step: Step;
  readonly reason: string;
}

const rootsOfConfiguration =
  'The client declares no roots. Portico declares them to servers for all clients, and answers for this one from [`roots`](server-questions.md#what-a-server-may-ask); the server itself refuses the call.';

const rootsWithoutParams =
  'The Go SDK cannot read a `roots/list` without `params`, which the server sends in 2026-07-28. Through Portico it works, because the server behind it speaks 2025-11-25.';

export const explained: readonly Explained[] = [
  ...['ai-sdk', 'langchain', 'openai-agents'].flatMap((client) =>
    (['stdio', 'http'] as const).map((route) => ({
      client,
      route,
      step: 'roots' as const,
      reason: rootsOfConfiguration,
    })),
  ),
  { client: 'go-sdk', route: 'http', step: 'roots', reason: rootsWithoutParams },
];

export function explanationOf(client: string, route: Target['kind'], step: Step): Explained | undefined {
  return explained.find((each) => each.client === client && each.route === route && each.step === step);
}

/** Entries for what was tried, and was the same. */
export function staleExplanations(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ client, route, cells }) =>
    [...cells]
      .filter(([step, { kind }]) => kind !== 'explained' && explanationOf(client.id, route, step) !== undefined)
      .map(([step]) => `${client.id} over ${route}, ${step}`),
  );
}
