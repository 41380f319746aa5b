// Nothing a connector started outlives the process it ran in, however that ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from '@portico/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  cleanUp,
  firstMatch,
  fixture,
  httpServer,
  isRunning,
  node,
  nullStdioPath,
  onCleanup,
  startHttpFixture,
  stdioServer,
  waitUntil,
} from './testing/kit.js';

afterEach(cleanUp);

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

function spawnVictim(servers: readonly ServerConfig[]): ChildProcess {
  const victim = spawn(node, ['--import', 'tsx', here('testing/victim.ts'), JSON.stringify(servers)], {
    env: { ...process.env, TSX_TSCONFIG_PATH: here('testing/tsconfig.json') },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onCleanup(() => victim.kill('SIGKILL'));
  return victim;
}

async function startVictim(servers: readonly ServerConfig[]): Promise<{ victim: ChildProcess; pids: number[][] }> {
  const victim = spawnVictim(servers);
  // Both streams are pipes.
  const [, pids] = await firstMatch(victim.stderr as NodeJS.ReadableStream, /pids (.*)\n/);
  return { victim, pids: JSON.parse(pids ?? '') };
}

const wrapped = stdioServer('sh', ['-c', `"${node}" "${nullStdioPath}" --stubborn; true`]);

describe.skipIf(process.platform === 'win32')('children of a process that is killed', () => {
  it('are all gone shortly after SIGKILL: plain, stubborn, and behind sh -c', async () => {
    const { victim, pids } = await startVictim([fixture(), fixture('--stubborn'), wrapped]);
    const all = [...new Set(pids.flat())];
    expect(all).toHaveLength(4);
    expect(all.map(isRunning)).toEqual([true, true, true, true]);

    victim.kill('SIGKILL');

    await waitUntil(() => !all.some(isRunning), 'all children are gone');
  });

  it.runIf(process.platform === 'linux')(
    'are all gone as well when it is killed the moment they begin',
    async () => {
      for (let round = 0; round < 5; round += 1) {
        const marker = `--name=begins-${process.pid}-${round}`;
        const victim = spawnVictim([fixture('--stubborn', marker)]);
        // Polls without a pause, to hit the moment in which no watchdog knows the child.
        await waitUntil(() => {
          const until = performance.now() + 200;
          while (performance.now() < until) if (childrenNamed(marker, victim.pid as number).length > 0) return true;
          return false;
        }, 'the child begins');
        victim.kill('SIGKILL');
        await waitUntil(() => processesNamed(marker).length === 0, 'the child is gone');
      }
    },
    120_000,
  );

  it('end with the connector, its watchdog included, and nothing keeps the process alive or writes to stdout', async () => {
    const { url } = await startHttpFixture('--mode', 'legacy-sse');
    const modern = await startHttpFixture('--mode', 'modern');
    const { victim, pids } = await startVictim([fixture(), wrapped, httpServer(url), httpServer(modern.url)]);
    const watchdogs = childrenNamed('portico-reaper', victim.pid as number);
    expect(watchdogs).toHaveLength(process.platform === 'linux' ? 1 : 0);
    let output = '';
    victim.stdout?.on('data', (chunk) => {
      output += chunk;
    });

    victim.stdin?.write('end\n');
    const [code] = await once(victim, 'exit');

    expect(code).toBe(0);
    expect(output).toBe('');
    const ours = [...pids.slice(0, 2).flat(), ...watchdogs];
    await waitUntil(() => !ours.some(isRunning), 'everything is gone');
  });
});

/** Pids of the direct children with a text in their command line; Linux only. */
function childrenNamed(text: string, parent: number): number[] {
  if (process.platform !== 'linux') return [];
  const isChild = (pid: number) => parentOf(pid) === parent;
  return processesNamed(text).filter(isChild);
}

/** Pids of the processes with a text in their command line, the victim's own left out; Linux only. */
function processesNamed(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const commandLine = readProc(pid, 'cmdline');
      return commandLine.includes(text) && !commandLine.includes('victim.ts');
    });
}

function parentOf(pid: number): number {
  return Number(/^\d+ \(.*\) . (\d+)/s.exec(readProc(pid, 'stat'))?.[1]);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // ended in between
  }
}
