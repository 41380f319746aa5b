// The upstream of the conformance run is itself conformant: every failure behind Portico is Portico's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { conformanceUpstreamPath } from '@portico-tools/fixtures/paths';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Portico, startPortico } from './portico.js';
import { revisions } from './requirements.js';
import { runServerScenarios } from './suite.js';
import { startUpstream, type Upstream } from './upstream.js';

const suiteMs = 120_000;
const expected = {
  '2025-11-25': { required: 30, notScored: 3, tasksChecks: 0 },
  '2026-07-28': { required: 37, notScored: 13, tasksChecks: 44 },
};

describe('the conformance upstream', () => {
  let upstream: Upstream;
  let portico: Portico | undefined;

  beforeAll(async () => {
    upstream = await startUpstream();
  });

  afterAll(async () => {
    await portico?.stop();
    await upstream.stop();
  });

  it.each(revisions)(
    'passes every server scenario of %s, the unscored ones and the tasks extension too',
    async (revision) => {
      const { report, exitCode } = await runServerScenarios(upstream.url, revision);
      const { required, notScored, tasksChecks } = expected[revision];
      expect(report).toMatchObject({
        required: { passed: required, total: required, failures: [] },
        notScored: { passed: notScored, total: notScored, failures: [] },
        tasksChecks: { passed: tasksChecks, failed: 0 },
      });
      expect(exitCode).toBe(0);
    },
    suiteMs,
  );

  it('lists the same over stdio as over HTTP', async () => {
    const http = { url: upstream.url };
    const daemon = await startPortico({
      mcpServers: {
        legacy: { ...http, protocolVersion: '2025-11-25' },
        modern: { ...http, protocolVersion: '2026-07-28' },
        stdio: { command: process.execPath, args: [conformanceUpstreamPath, 'stdio'] },
      },
    });
    portico = daemon;
    await vi.waitFor(async () => {
      const { servers } = (await (await fetch(`${daemon.url}/v1/servers`)).json()) as { servers: readonly Listed[] };
      const counts = { tools: 37, resources: 4, prompts: 6 };
      expect(servers).toMatchObject([
        { id: 'legacy', protocol_version: '2025-11-25', ...counts },
        { id: 'modern', protocol_version: '2026-07-28', ...counts },
        { id: 'stdio', protocol_version: '2026-07-28', ...counts },
      ]);
    }, 15_000);
  });

  it('speaks 2025-11-25 over stdio to a client that begins with initialize', async () => {
    const child = spawn(process.execPath, [conformanceUpstreamPath, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill());
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    const [line] = await once(createInterface(child.stdout), 'line');
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
  });
});

/** An entry of `GET /v1/servers`. */
type Listed = Readonly<Record<string, unknown>>;
