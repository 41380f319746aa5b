// Stalls of a real process: it stops, and it runs again after the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { canListProcesses, descendantsOf } from '../../faults/src/processes.js';
import { beginStalls } from './stalls.js';

/** A parent that is no part of the product, and a child of it that stands where servers of tests do. */
async function startPair() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-stall-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = join(folder, 'tools/some/src/server.mjs');
  mkdirSync(join(server, '..'), { recursive: true });
  writeFileSync(server, "process.stdin.resume().on('end', () => process.exit()); process.stdout.write('up');");
  const parent = join(folder, 'parent.mjs');
  const options = "{ stdio: ['pipe', 'inherit', 'inherit'] }";
  writeFileSync(
    parent,
    `import { spawn } from 'node:child_process';\nspawn(process.execPath, [${JSON.stringify(server)}], ${options});`,
  );
  const child = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  return { parent: child.pid ?? 0, states: () => descendantsOf(child.pid ?? 0).map(({ isStopped }) => isStopped) };
}

test.runIf(canListProcesses)(
  'stops the processes of the product below a process, and continues them at the end',
  async () => {
    const { parent, states } = await startPair();
    expect(states()).toEqual([false]);
    const stalls = beginStalls(parent, 7);
    await vi.waitFor(() => expect(states()).toEqual([true]), { timeout: 30_000, interval: 5 });
    const records = await stalls.end();
    await vi.waitFor(() => expect(states()).toEqual([false]));
    expect(records.length).toBeGreaterThan(0);
    expect(records.every(({ processes }) => processes.every(({ kind }) => kind === 'upstream'))).toBe(true);
  },
);
