// Requests against every operation of the OpenAPI document that the service itself serves.
import { createDocumented, type Documented } from './documented.js';
import { type Ran, type RunOptions, runProperty } from './finding.js';
import { Hang, type HttpCase, sendCase, toCurl } from './http.js';
import type { OpenApi, Operation } from './openapi.js';
import { httpCases } from './requests/http-cases.js';
import type { World } from './world.js';

/** Any answer is there long before; a tool may take 300 ms, a wait for a person 2 s, the first connection of a server 5 s. */
export const limitMs = 30_000;
/** Operations that are asked at a time. */
const lanes = 3;

export async function fuzzHttp(
  world: World,
  { seed, runs }: RunOptions,
): Promise<readonly (Ran & { readonly what: string })[]> {
  const { service, hints } = world;
  const documented = createDocumented(await service.get<OpenApi>('/v1/openapi.json'));
  const run = async (operation: Operation, count: number) => {
    const ran = await runProperty(
      `${operation.method} ${operation.path}`,
      httpCases(operation, hints),
      (one) => problemOf(service.url, documented, one),
      (one) => toCurl(service.url, one),
      { seed, runs: count },
    );
    return { what: operation.id, ...ran };
  };
  const steady = documented.operations.filter(({ configures }) => !configures);
  const results: (Ran & { readonly what: string })[] = [];
  const waiting = [...steady];
  const lane = async () => {
    for (let operation = waiting.shift(); operation !== undefined; operation = waiting.shift()) {
      results.push(await run(operation, runs));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  // One after the other, each on the configuration that was there at first.
  for (const operation of documented.operations.filter(({ configures }) => configures)) {
    results.push(await run(operation, Math.ceil(runs / 2)));
    await world.restore();
  }
  return results;
}

async function problemOf(origin: string, documented: Documented, one: HttpCase): Promise<string | undefined> {
  try {
    const answer = await sendCase(origin, one, limitMs);
    const problems = documented.problemsOf(one.method, one.target, answer);
    return problems.length === 0 ? undefined : problems.join('; ');
  } catch (error) {
    if (error instanceof Hang) return error.message;
    return `no answer: ${error}`;
  }
}
