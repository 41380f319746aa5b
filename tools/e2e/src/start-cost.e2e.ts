// Modules that a daemon with 40 lazy servers loads at its start, and memory that it keeps when idle, by counts that do
// not depend on the load of the machine. An exceeded budget names what has grown: load it when it is first needed
// (docs/decisions/start.md). A budget far above the use is lowered with the change that saved it.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { nullStdioPath } from '../../fixtures/src/paths.js';
import { tempFolder } from './support/cleanup.js';
import { type DaemonProcess, startDaemonProcess } from './support/daemon-process.js';

/**
 * The most that a start may take; a change that raises one gives its reason here. The script of patterns (RE2), 189,000 characters,
 * is loaded when a pattern is used; rules on arguments, loops, budgets and grants have 140,000 together.
 */
const budget = { scriptCharacters: 2_745_000, builtins: 80, keptMebibytes: 29 };
const servers = 40;
const meter = new URL('./support/start-meter.mjs', import.meta.url).href;

interface Measured {
  readonly scripts: readonly { readonly file: string; readonly length: number }[];
  /** Modules of Node that the meter itself does not load. */
  readonly builtins: readonly string[];
  /** Heap and what is external to it. */
  readonly keptBytes: number;
}

let daemon: DaemonProcess;
let meterFile: string;

async function measure(): Promise<Measured> {
  rmSync(meterFile, { force: true });
  process.kill(daemon.pid, 'SIGUSR2');
  await expect.poll(() => existsSync(meterFile), { timeout: 30_000 }).toBe(true);
  return JSON.parse(readFileSync(meterFile, 'utf8')) as Measured; // as the meter writes it
}

async function statuses(): Promise<readonly string[]> {
  const answer = await fetch(`${daemon.url}/v1/servers`);
  const { servers: all } = (await answer.json()) as { servers: readonly { status: string }[] };
  return all.map(({ status }) => status);
}

beforeAll(async () => {
  meterFile = join(tempFolder(), 'measured');
  const server = { command: process.execPath, args: [nullStdioPath], lifecycle: 'lazy', idleStopSecs: 1 };
  const mcpServers = Object.fromEntries(Array.from({ length: servers }, (_, n) => [`server${n}`, server]));
  daemon = await startDaemonProcess(
    { mcpServers },
    { env: { NODE_OPTIONS: `--import ${meter}`, METER_FILE: meterFile } },
  );
});

describe('a start with 40 lazy servers', () => {
  it('loads little until it is ready', async () => {
    const { scripts, builtins } = await measure();
    const characters = scripts.reduce((sum, { length }) => sum + length, 0);
    const listed = scripts.map(({ file, length }) => `${basename(file)}: ${length}`).join('\n');
    expect.soft(characters, `characters of scripts:\n${listed}`).toBeLessThanOrEqual(budget.scriptCharacters);
    expect.soft(builtins.length, `modules of Node:\n${builtins.join('\n')}`).toBeLessThanOrEqual(budget.builtins);
  });

  it('keeps little once all servers were tried and are idle', async () => {
    await expect.poll(statuses, { timeout: 60_000 }).toEqual(Array.from({ length: servers }, () => 'idle'));
    const { keptBytes } = await measure();
    const message = 'MiB of heap and external memory: compare heap snapshots of this build and the one before';
    expect(keptBytes / 2 ** 20, message).toBeLessThanOrEqual(budget.keptMebibytes);
  });
});
