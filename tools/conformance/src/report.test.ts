import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { formatReport, readReport } from './report.js';
import { readRequirements } from './requirements.js';

const at = '2026-11-21T16-06-34-836Z';
const requirements = { required: ['ping', 'auth/iss'], notScored: ['tasks-lifecycle'] };

/** A folder as the suite leaves it. */
function results(checks: Readonly<Record<string, readonly object[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(checks)) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'checks.json'), JSON.stringify(content));
  }
  return folder;
}

it('counts scenarios and checks, and keeps what the suite says of those that fail', () => {
  const folder = results({
    [`ping-${at}`]: [
      { id: 'pong', status: 'SUCCESS' },
      { id: 'sent', status: 'INFO' },
    ],
    [`auth/iss-${at}`]: [{ id: 'compared', status: 'FAILURE', description: 'was not' }],
    [`tasks-lifecycle-${at}`]: [
      { id: 'created', status: 'SUCCESS' },
      { id: 'ended', status: 'WARNING', errorMessage: 'late' },
    ],
  });
  writeFileSync(
    join(folder, `auth/iss-${at}`, 'stderr.txt'),
    'Error: not connected\n    at somewhere\n{"msg":"refused"}\n',
  );
  const report = readReport(folder, 'client', requirements);
  expect(report).toMatchObject({
    required: {
      passed: 1,
      total: 2,
      failures: ['auth/iss: compared: was not; the client said: Error: not connected\n  {"msg":"refused"}'],
    },
    notScored: { passed: 1, total: 1, failures: [] },
    tasksChecks: { passed: 1, failed: 0 },
    checks: { passed: 2, failed: 1, warned: 1 },
  });
  expect(formatReport('client', report).split('\n')).toEqual([
    'client: 1/2 required scenarios',
    '  not scored 1/1, checks 2 passed, 1 failed, 1 warned; tasks checks 1 passed, 0 failed',
    '  auth/iss: compared: was not',
    '  auth/iss: the client said: Error: not connected',
    '  {"msg":"refused"}',
    '  tasks-lifecycle: ended: warning: late',
  ]);
});

it('takes a scenario that was not run for a failure', () => {
  const folder = results({ [`server-ping-${at}`]: [{ id: 'pong', status: 'SUCCESS' }] });
  const { required } = readReport(folder, 'server', { required: ['ping', 'tools-list'], notScored: [] });
  expect(required).toEqual({ passed: 1, total: 2, failures: ['tools-list: was not run'] });
});

it("reads what a revision requires from the suite's own list", () => {
  const counts = (['2025-11-25', '2026-07-28'] as const).map((revision) => [
    readRequirements(revision, 'server').required.length,
    readRequirements(revision, 'client').required.length,
  ]);
  expect(counts).toEqual([
    [30, 18],
    [37, 32],
  ]);
});
