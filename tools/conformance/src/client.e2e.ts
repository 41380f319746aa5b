// Portico as an MCP client: the suite plays the upstream, and a driver asks Portico over `/v1`.
import { describe, expect, it } from 'vitest';
import { keepCounts } from './keep-counts.js';
import { runClientScenarios } from './suite.js';

const suiteMs = 300_000;

describe("MCP conformance of Portico's own client", () => {
  it.each([
    { revision: '2025-11-25', total: 18, others: { passed: 1, total: 7 } },
    { revision: '2026-07-28', total: 32, others: { passed: 1, total: 7 } },
  ] as const)(
    'passes every required client scenario of $revision',
    async ({ revision, total, others }) => {
      const { report, exitCode } = await runClientScenarios(revision);
      keepCounts(`client ${revision}`, report);
      expect(report.required).toEqual({ passed: total, total, failures: [] });
      expect(report.notScored).toMatchObject(others); // counted too, so that every left-out scenario is reported
      expect(exitCode).toBe(0);
    },
    suiteMs,
  );
});
