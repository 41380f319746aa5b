// The kill storm: a daemon that is killed at random moments and started again on the same state, under clients that
// repeat each key until they have its answer. storm-verdict.ts checks the results.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from './check.js';
import { ConnectionLost, countingUpstreamPath, type Daemon, type Home, launchDaemon, writeConfig } from './daemon.js';
import { leftOf, type Process, processesWith } from './processes.js';
import { createRandom, type Random } from './random.js';
import { type Scope, tempFolder } from './scope.js';
import { type Answer, type Drive, driveKey, type KeyPlan, planKey, ticketAnswer } from './storm-key.js';
import { judge } from './storm-verdict.js';

export interface StormOptions {
  readonly kills: number;
  readonly seed: number;
  /** Whether a run in which nothing was ambiguous has shown nothing. */
  readonly needsAmbiguity: boolean;
  readonly say?: (line: string) => void;
}

/** A key with all that its clients saw, replaced as they see more. */
export interface StormKey extends KeyPlan {
  readonly answer?: Answer;
  /** Lives of the daemon in which it was sent. */
  readonly lives: number;
  /** Whether its answer had been stored before it was asked for. */
  readonly isReplay: boolean;
  /** Whether it had no record when it was repeated, in the life in which it was answered. */
  readonly wasFree: boolean;
  readonly compared: number;
  readonly tickets: readonly string[];
}

export interface StormSeen {
  readonly keys: readonly StormKey[];
  readonly kills: number;
  readonly startKills: number;
  /** Answers of tickets, by key, after everything. */
  readonly ticketAnswers: readonly { readonly key: string; readonly id: string; readonly answer: Answer | undefined }[];
  readonly differing: readonly string[];
  readonly problems: readonly string[];
  readonly children: number;
  readonly left: readonly Process[];
  readonly journal: string;
}

const clients = 8;
const maxDelayMs = 250;
const startMs = 500;

/** Runs the storm and reports the result. Rejects only when the daemon cannot be started at all. */
export async function runStorm(scope: Scope, options: StormOptions): Promise<readonly Check[]> {
  const folder = tempFolder(scope);
  const journal = join(folder, 'journal.jsonl');
  const counting = { command: process.execPath, args: [countingUpstreamPath, journal, '--stubborn'] };
  const home = writeConfig(folder, { mcpServers: { counting }, policy: { requireApproval: ['counting.gated'] } });
  const storm = createStorm(options.seed);
  const children: Process[] = [];
  let startKills = 0;

  for (let round = 1; round <= options.kills; round += 1) {
    const random = createRandom(options.seed, 'round', round);
    const whileStarting = random.chance(0.1);
    if (whileStarting) startKills += 1;
    children.push(...(await surviveOne(scope, home, storm, random, whileStarting)));
    if (round % 20 === 0) options.say?.(`  ${round} of ${options.kills} kills, ${storm.describe()}`);
  }

  const daemon = launchDaemon(scope, home);
  await daemon.connected('counting');
  const final = await storm.finish(daemon);
  const code = await daemon.stop();
  const seen: StormSeen = {
    ...final,
    problems: [...final.problems, ...(code === 0 ? [] : [`SIGTERM ended the last daemon with ${code}`])],
    kills: options.kills,
    startKills,
    children: children.length,
    left: await leftOf([...children, ...processesWith(folder)], 10_000),
    journal,
  };
  return judge(seen, options);
}

/** One life of the daemon, to its violent end. Gives the children it had. */
async function surviveOne(
  scope: Scope,
  home: Home,
  storm: Storm,
  random: Random,
  whileStarting: boolean,
): Promise<readonly Process[]> {
  const daemon = launchDaemon(scope, home);
  const budget = random.between(6, 20);
  const delayMs = random.next() * (whileStarting ? startMs : maxDelayMs);
  const connected = daemon.connected('counting');
  const working = connected.then(
    () => storm.work(daemon, budget),
    (error) => {
      if (!(error instanceof ConnectionLost)) throw error;
    },
  );
  working.catch(() => {}); // awaited below, after the kill
  if (!whileStarting) await connected;
  await sleep(delayMs); // the random moment that this is all about
  const children = await daemon.kill();
  await working;
  return children;
}

interface Storm {
  /** Drives keys until the daemon is killed: open ones, new ones within the budget, and answered ones once more. */
  work(daemon: Daemon, budget: number): Promise<void>;
  /** Drives every key to its answer and once more, to compare. */
  finish(daemon: Daemon): Promise<Pick<StormSeen, 'keys' | 'ticketAnswers' | 'differing' | 'problems'>>;
  describe(): string;
}

function createStorm(seed: number): Storm {
  const keys = new Map<string, StormKey>();
  const busy = new Set<string>();
  const differing: string[] = [];
  const problems: string[] = [];
  const pick = createRandom(seed, 'pick');

  const drive = async (daemon: Daemon, name: string) => {
    const before = keys.get(name);
    if (before === undefined) return;
    busy.add(name);
    const driven = await driveKey(daemon, before, before.lives > 0);
    busy.delete(name);
    problems.push(...driven.problems);
    const { answer } = driven;
    if (before.answer && answer && before.answer.text !== answer.text) {
      differing.push(`${name}: first ${before.answer.text}, then ${answer.text}`);
    }
    if (before.answer && answer && !driven.isReplay) differing.push(`${name}: repeated, and not marked as a replay`);
    keys.set(name, after(before, driven));
  };

  const driveAll = async (daemon: Daemon, all: readonly StormKey[]) => {
    const waiting = all.map(({ key }) => key);
    const client = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await drive(daemon, name);
    };
    await Promise.all(Array.from({ length: clients }, client));
  };

  const next = (takeNew: () => boolean): string | undefined => {
    const free = [...keys.values()].filter(({ key }) => !busy.has(key));
    const open = free.filter(({ answer }) => answer === undefined);
    const oldest = open[0];
    if (oldest !== undefined && pick.chance(0.7)) return oldest.key;
    if (takeNew()) {
      const plan = planKey(seed, keys.size);
      keys.set(plan.key, { ...plan, lives: 0, isReplay: false, wasFree: false, compared: 0, tickets: [] });
      return plan.key;
    }
    return oldest?.key ?? free[pick.between(0, free.length - 1)]?.key;
  };

  return {
    async work(daemon, budget) {
      let left = budget;
      const takeNew = () => {
        left -= 1;
        return left >= 0;
      };
      const client = async () => {
        for (let name = next(takeNew); name !== undefined && !daemon.isKilled(); name = next(takeNew)) {
          await drive(daemon, name);
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
    async finish(daemon) {
      await driveAll(daemon, [...keys.values()]);
      await driveAll(
        daemon,
        [...keys.values()].filter(({ compared }) => compared === 0),
      );
      const ticketAnswers: StormSeen['ticketAnswers'][number][] = [];
      for (const { key, tickets } of keys.values()) {
        for (const id of tickets) ticketAnswers.push({ key, id, answer: await ticketAnswer(daemon, id, key) });
      }
      return { keys: [...keys.values()], ticketAnswers, differing, problems };
    },
    describe: () => {
      const open = [...keys.values()].filter(({ answer }) => answer === undefined).length;
      return `${keys.size} keys, ${open} of them without an answer yet`;
    },
  };
}

function after(before: StormKey, { answer, isReplay, hadRecord, tickets, problems }: Drive): StormKey {
  const wasOpen = before.answer === undefined;
  return {
    ...before,
    lives: before.lives + 1,
    tickets: [...new Set([...before.tickets, ...tickets])],
    ...(wasOpen && answer !== undefined ? { answer, isReplay, wasFree: hadRecord === false } : {}),
    compared: before.compared + (!wasOpen && answer !== undefined && problems.length === 0 ? 1 : 0),
  };
}
