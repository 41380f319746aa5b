// Works out the snapshot with a large server before it is put in force, a share in each turn of the event loop, so that
// calls continue. Readers see the old snapshot until the new one is complete.
import { finish, type Steps } from '@portico/async';
import { type ServerEntries, serverEntriesInSteps } from '@portico/catalog-core';
import { type JsonValue, sizeUpTo, type UpstreamDefinitions } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import { inStage, type Stages } from '../common/stage.js';
import { type DefinitionsRead, type PlaneState, readInSteps } from './plane-state.js';

export interface WorkAhead {
  /** Undefined for a server that is small enough to be added at once. */
  prepare(read: DefinitionsRead): Promise<void> | undefined;
  /** The state after the change: what was worked out, where it was from this very state. */
  reduce(state: PlaneState, read: DefinitionsRead): PlaneState;
  /**
   * Works out another change, step by step, and puts it in force.
   * @param stage a name for the watchdog, and `subject` what it is about
   * @param steps are given the state to begin at, and the one that an earlier try has led to
   * @param put is given a function from a state to the one after the change: what was worked out, where it was from that very state
   */
  workOut(stage: string, subject: string, steps: WorkOutSteps, put: PutWorkedOut): Promise<void>;
  /** The entries of the definitions that an earlier run has kept, by the ids of their servers. */
  recover(stored: Iterable<readonly [string, UpstreamDefinitions]>): Promise<ReadonlyMap<string, ServerEntries>>;
}

export type PutWorkedOut = (made: (from: PlaneState) => PlaneState) => void;
export type WorkOutSteps = (from: PlaneState, earlier: PlaneState | undefined) => Steps<PlaneState>;

/** Definitions that are read in a few milliseconds. */
const fewDefinitions = 100;
/** Characters and values of all of them that are digested in some milliseconds. */
const smallDefinitions = 200_000;
const shareMs = 3;
/** Another change that comes first makes the work start again. After this many tries the server is added at once. */
const maxTries = 3;

/** Characters of a URI that take little time; longer URIs weigh more. */
const shortUri = 200;
const charactersOfOne = 20;

interface Prepared {
  /** They depend on nothing but the definitions, and take longest to make. */
  readonly entries: ServerEntries;
  readonly from: PlaneState;
  readonly next: PlaneState;
}

/** When the turn of the event loop began that work is done in, and whether others get as long a turn after a long one. */
interface Pace {
  beganAtMs: number;
  readonly isFair: boolean;
}

/** @param state the snapshot in force */
export function createWorkAhead(clock: Clock, stages: Stages, state: () => PlaneState): WorkAhead {
  const prepared = new WeakMap<UpstreamDefinitions, Prepared>();
  let last: Promise<void> = Promise.resolve();
  const entriesInSteps = (server: string, definitions: UpstreamDefinitions) =>
    serverEntriesInSteps(server, definitions, state().config.limits);

  /** One after the other: two at once would both begin at a state that is outdated when they finish. */
  const inOrder = (work: () => Promise<void>, after: () => Promise<void> | undefined): Promise<void> => {
    const done = last.then(work);
    last = done.then(after, () => {});
    return done;
  };

  const prepareRead = async (read: DefinitionsRead): Promise<void> => {
    await turn(clock); // what was read has been parsed in this one
    const pace = { beganAtMs: clock.now(), isFair: true };
    const share = <T>(work: () => T) => inStage(stages, 'reading the definitions', read.server, work);
    const entries = await inShares(clock, pace, share, entriesInSteps(read.server, read.definitions));
    for (let tries = 0; tries < maxTries; tries += 1) {
      const from = state();
      const earlier = prepared.get(read.definitions)?.next.lock.servers;
      const next = await inShares(clock, pace, share, readInSteps(from, read, entries, earlier));
      prepared.set(read.definitions, { entries, from, next });
      await turn(clock); // notices and storage have the next turn
      if (state() === from) return;
    }
  };

  const workOut = async (stage: string, subject: string, steps: WorkOutSteps, put: PutWorkedOut) => {
    const pace = { beganAtMs: clock.now(), isFair: true };
    const share = <T>(work: () => T) => inStage(stages, stage, subject, work);
    let [from, next]: [PlaneState, PlaneState | undefined] = [state(), undefined];
    for (let tries = 0; tries < maxTries; tries += 1) {
      from = state();
      next = await inShares(clock, pace, share, steps(from, next));
      if (state() === from) break;
    }
    put((now) => (now === from && next !== undefined ? next : finish(steps(now, next))));
  };

  return {
    workOut: (...work) =>
      inOrder(
        () => workOut(...work),
        () => undefined,
      ),
    prepare(read) {
      if (weightOf(read.definitions) <= fewDefinitions && isSmall(read.definitions)) return undefined;
      return inOrder(
        () => prepareRead(read),
        () => turn(clock), // the prepared server is put in force first
      );
    },
    reduce(from, read) {
      const found = prepared.get(read.definitions);
      prepared.delete(read.definitions); // or it would keep an old snapshot in memory while they are known
      if (found?.from === from) return found.next;
      return finish(readInSteps(from, read, found?.entries, found?.next.lock.servers));
    },
    async recover(stored) {
      const servers = new Map<string, ServerEntries>();
      const pace = { beganAtMs: clock.now(), isFair: false }; // no call is served yet; one for all: small servers add up
      for (const [id, definitions] of stored) {
        const share = <T>(work: () => T) => inStage(stages, 'reading the definitions that were kept', id, work);
        servers.set(id, await inShares(clock, pace, share, entriesInSteps(id, definitions)));
      }
      return servers;
    },
  };
}

/** How many definitions of usual length it takes as long as. */
function weightOf({ tools, resources, resourceTemplates, prompts }: UpstreamDefinitions): number {
  const uris = [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)];
  const excess = uris.reduce((sum, uri) => sum + Math.max(0, uri.length - shortUri), 0);
  return tools.length + prompts.length + uris.length + excess / charactersOfOne;
}

function isSmall({ tools, resources, resourceTemplates, prompts }: UpstreamDefinitions): boolean {
  const lists = [tools, resources, resourceTemplates, prompts] as unknown as JsonValue[]; // they came as JSON
  return sizeUpTo(lists, smallDefinitions) <= smallDefinitions;
}

/**
 * @param pace what is left of its turn is used first
 * @param share does the part of the work that one turn of the loop is for
 */
async function inShares<T>(clock: Clock, pace: Pace, share: <R>(work: () => R) => R, steps: Steps<T>): Promise<T> {
  for (;;) {
    const { tookMs, result } = share(() => takeShare(clock, pace, steps));
    if (result !== undefined) return result.value;
    // A call needs many turns of the loop: between steps that take long it gets more than one.
    await clock.sleep(pace.isFair && tookMs >= 2 * shareMs ? tookMs : 0);
    pace.beganAtMs = clock.now();
  }
}

/** Takes steps until its time is over. The result is there once all of them are taken. */
function takeShare<T>(clock: Clock, pace: Pace, steps: Steps<T>): { tookMs: number; result?: { value: T } } {
  for (;;) {
    const { done, value } = steps.next();
    const tookMs = clock.now() - pace.beganAtMs;
    if (done === true) return { tookMs, result: { value } };
    if (tookMs >= shareMs) return { tookMs };
  }
}

/** Everything else has its turn. */
function turn(clock: Clock): Promise<void> {
  return clock.sleep(0);
}
