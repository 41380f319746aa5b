// Measuring tools of a scenario. Everything that it starts here is ended for it, and its folder removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullStdioPath } from '../../fixtures/src/paths.js';
import { root, startPortico } from './portico.js';
import { type Running, startServer } from './processes.js';
import type { Row } from './rows.js';

export interface Scenario {
  readonly name: string;
  run(bench: Bench): Promise<readonly Row[]>;
}

export interface Bench {
  readonly rounds: number;
  /** This many at full size, a small part of it in a quick run. */
  count(full: number): number;
  /** A place for files. */
  readonly folder: string;
  /** Has something ended with the scenario. */
  keep<T extends { readonly stop: () => Promise<void> }>(running: T): T;
  /** A daemon with its servers connected. */
  portico(config: object): Promise<Running>;
  /** One of the programs that Portico is measured beside, by its file in `yardsticks`. */
  yardstick(file: string, ...args: readonly string[]): Promise<Running>;
}

export interface Size {
  readonly rounds: number;
  readonly isQuick: boolean;
}

const quickShare = 20;

export async function runScenario(scenario: Scenario, { rounds, isQuick }: Size): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const running: { readonly stop: () => Promise<void> }[] = [];
  const keep: Bench['keep'] = (started) => {
    running.push(started);
    return started;
  };
  try {
    return await scenario.run({
      rounds,
      count: (full) => (isQuick ? Math.ceil(full / quickShare) : full),
      folder,
      keep,
      portico: async (config) => keep(await startPortico(join(folder, `daemon-${running.length}`), config)),
      yardstick: async (file, ...args) =>
        keep(await startServer([join(root, 'tools/bench/src/yardsticks', file), ...args])),
    });
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a round this many times, and returns the result of each. */
export async function inRounds<T>(rounds: number, round: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let n = 0; n < rounds; n++) results.push(await round(n));
  return results;
}

/** The configuration of a server that does nothing. */
export const nullServer = { command: process.execPath, args: [nullStdioPath] };
export const nullCall = JSON.stringify({ capability_id: 'null.null_call', args: {} });
export const isOk = '"ok":true';
