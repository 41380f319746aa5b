// Portico as an MCP server: the suite plays a host at Portico's MCP listener, behind which is the conformance upstream.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from './gateway.js';
import { keepCounts } from './keep-counts.js';
import { runServerScenarios } from './suite.js';
import { startUpstream, type Upstream } from './upstream.js';

const suiteMs = 180_000;

describe('MCP conformance of the listener', () => {
  let upstream: Upstream;

  beforeAll(async () => {
    upstream = await startUpstream();
  });

  afterAll(() => upstream.stop());

  it.each([
    { host: '2025-11-25', behind: '2025-11-25', total: 30, others: 3, tasksChecks: 0 },
    { host: '2025-11-25', behind: '2026-07-28', total: 30, others: 3, tasksChecks: 0 },
    { host: '2026-07-28', behind: '2026-07-28', total: 37, others: 13, tasksChecks: 44 },
  ] as const)(
    'passes every required server scenario of $host before an upstream of $behind',
    async (run) => {
      const portico = await startGateway(upstream.url, run.behind);
      try {
        const { report, exitCode } = await runServerScenarios(portico.mcpUrl(), run.host);
        keepCounts(`server ${run.host} before an upstream of ${run.behind}`, report);
        expect(report.required).toEqual({ passed: run.total, total: run.total, failures: [] });
        expect(report.notScored).toEqual({ passed: run.others, total: run.others, failures: [] });
        expect(report.tasksChecks).toEqual({ passed: run.tasksChecks, failed: 0 });
        expect(exitCode).toBe(0);
      } finally {
        await portico.stop();
      }
    },
    suiteMs,
  );

  it(
    'has its streams closed, polled and resumed by a host of 2025-11-25, where every answer is a stream',
    async () => {
      // The call of this scenario lasts 1,500 ms: it is under way when its stream is closed, and ends while it is polled.
      const portico = await startGateway(upstream.url, '2026-07-28', { jsonResponse: false, ssePollMs: 1000 });
      try {
        const { report, exitCode } = await runServerScenarios(portico.mcpUrl(), '2025-11-25');
        keepCounts('server 2025-11-25, streams only', report);
        expect([exitCode, report.required.failures, report.notScored.failures]).toEqual([0, [], []]);
        const checksOf = (scenario: string) => {
          const { succeeded = [], complaints = [] } = report.scenarios.find(({ name }) => name === scenario) ?? {};
          return { succeeded, complaints };
        };
        // Each of them is left out, or only warned about, where answers are JSON or streams have no ids.
        expect(checksOf('server-sse-polling')).toEqual({
          succeeded: ['server-sse-priming-event', 'server-sse-retry-field', 'server-sse-disconnect-resume'],
          complaints: [],
        });
        expect(checksOf('server-sse-multiple-streams')).toMatchObject({
          succeeded: expect.arrayContaining(['server-accepts-multiple-post-streams', 'server-sse-streams-functional']),
          complaints: [],
        });
      } finally {
        await portico.stop();
      }
    },
    suiteMs,
  );
});
