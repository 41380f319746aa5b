// A configuration file that is kept in step with those of other daemons: what is changed in it goes into a log that they
// share, and what they have changed is put into it first. The file stays the only truth of its daemon.
import { type Coalesced, coalesce } from '@portico/async';
import { describeIssues, type Issue, PorticoError } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../../common/log.js';
import {
  applyEdits,
  type ConfigSource,
  InvalidConfig,
  type LoadedConfig,
  type MakeFileEdits,
} from '../config-source.js';
import type { ConfigurationLog, ExclusiveLog } from './configuration-log.js';
import { type Merge, mergeChanges, type RefusedChange } from './merge-changes.js';
import { differingFields, editsSince, outlineOf } from './outline.js';

export interface SharedConfigSourceDeps {
  readonly source: ConfigSource;
  readonly changes: ConfigurationLog;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
}

/** How long a log that has failed is left alone. */
const pauseMs = 1000;

/** Puts into the file what it has missed. A file that is new takes nothing over. @throws InvalidConfig */
export async function openSharedConfigSource(deps: SharedConfigSourceDeps): Promise<ConfigSource> {
  const { source, changes, clock, log } = deps;
  let loaded: LoadedConfig = source.current();
  let seen = 0; // the newest change that was looked at
  let isBehind = false; // the log could not be read, or not be written
  let isOpening = true;
  let running: Promise<unknown> = Promise.resolve();
  const reportRefused = createRefusalReporter(log);
  const catchUps = new Set<Coalesced>();

  const serially = (edit: MakeFileEdits): Promise<LoadedConfig> => {
    let isAtFile = false;
    let isChanged = false;
    const mine = changes.exclusively(async (held) => {
      isAtFile = true;
      const { result, merge, done } = await changeFile(source, held, edit);
      isAtFile = false;
      isBehind = true; // until the log has it
      isChanged = done.edits.length > 0;
      if (isOpening) reportDrift(log, held, merge, result);
      const newest = await keep(held, merge, done);
      return { result, merge, newest };
    });
    const after = mine.then(
      ({ result, merge, newest }) => {
        seen = newest;
        isBehind = false;
        reportRefused(merge.refused);
        loaded = { ...result, issues: merge.refused.flatMap(({ issues }) => issues.map(asRefused)) };
        return loaded;
      },
      (error: unknown) => {
        if (!isAtFile) for (const { ask } of catchUps) ask(); // other daemons may have no reason to write
        throw isChanged ? toUnshared(error) : error;
      },
    );
    running = after.catch(() => {});
    return after;
  };

  const load = async (): Promise<LoadedConfig> => {
    const alone = await source.load(); // says what is wrong with it as it is
    try {
      return await serially(() => []);
    } catch (error) {
      isBehind = true;
      log('error', 'the configuration is not in step with that of other daemons', { error });
      loaded = { ...alone, issues: toIssues(error) };
      return loaded;
    }
  };

  await load();
  isOpening = false;
  return {
    path: source.path,
    current: () => loaded,
    load,
    change: serially,
    watch(listener) {
      const unwatch = source.watch(() => listener('file'));
      const over = new AbortController();
      let wanted = 0;
      const catchUp = coalesce(async () => {
        await running; // our own changes are known when they are done
        if (!over.signal.aborted && (wanted > seen || isBehind)) await listener('daemon');
      });
      const catchUpLater = coalesce(async () => {
        await clock.sleep(pauseMs, over.signal).catch(() => {});
        if (over.signal.aborted) return;
        await changes.newest().then(catchUp.ask, catchUpLater.ask);
      });
      catchUps.add(catchUpLater);
      const onChangeSignal = async (seq: number | undefined) => {
        const newest = seq ?? (await changes.newest().catch(() => 0)); // an unreachable log notifies when it is back
        wanted = Math.max(wanted, newest);
        catchUp.ask();
      };
      const unfollow = changes.follow((seq) => void onChangeSignal(seq));
      void onChangeSignal(undefined); // of what was changed before it was followed
      return () => {
        over.abort();
        catchUps.delete(catchUpLater);
        unfollow();
        unwatch();
      };
    },
  };
}

/** The result of a change of the file, beside the changes of others. */
async function changeFile(source: ConfigSource, held: ExclusiveLog, edit: MakeFileEdits) {
  let merge: Merge = { byHand: [], edits: [], refused: [] };
  let before = source.current().file;
  const result = await source.change((found, problemsOf) => {
    merge = mergeChanges(held, found, problemsOf);
    before = applyEdits(found, merge.edits);
    const { edits } = merge;
    return [...edits, ...edit(before, (more) => problemsOf([...edits, ...more]))];
  });
  return { result, merge, done: { file: result.file, edits: editsSince(outlineOf(before), result.file) } };
}

/** @returns the newest change of all then */
async function keep(
  held: ExclusiveLog,
  { byHand, refused }: Merge,
  { file, edits }: Pick<LoadedConfig, 'file'> & { readonly edits: Merge['edits'] },
): Promise<number> {
  let newest = held.newest;
  if (held.standing !== undefined && byHand.length > 0) newest = await held.append(byHand);
  if (edits.length > 0) newest = await held.append(edits);
  // A refused change is tried again together with the next one.
  const seq = refused[0] === undefined ? newest : refused[0].seq - 1;
  await held.settle({ seq, outline: outlineOf(file) });
  return newest;
}

function createRefusalReporter(log: Log) {
  let reported = new Set<number>();
  return (refused: readonly RefusedChange[]) => {
    for (const { seq, issues } of refused) {
      if (reported.has(seq)) continue;
      log('error', 'what another daemon has changed cannot be used here', { seq, reason: describeIssues(issues) });
    }
    reported = new Set(refused.map(({ seq }) => seq));
  };
}

/** Files that were given different contents stay different until one of them is changed. */
function reportDrift(log: Log, { other }: ExclusiveLog, { byHand, refused }: Merge, { file }: LoadedConfig): void {
  if (other === undefined || byHand.length > 0 || refused.length > 0) return;
  const fields = differingFields(outlineOf(file), other);
  if (fields.length === 0) return;
  log('warn', 'the configuration differs from that of other daemons; give them the same file', { fields });
}

/** It is written, and the log is what failed. */
function toUnshared(error: unknown): PorticoError {
  const reason = error instanceof Error ? error.message : String(error);
  const unshared = `the file has the change, but other daemons could not be notified of it (${reason})`;
  return new PorticoError('INTERNAL_ERROR', `${unshared}; it is in force as soon as they can be`, { cause: error });
}

function toIssues(error: unknown): readonly Issue[] {
  if (error instanceof InvalidConfig) return error.issues.map(asRefused);
  const reason = error instanceof Error ? error.message : String(error);
  return [{ path: '', message: `is not in step with other daemons: ${reason}` }];
}

function asRefused({ path, message }: Issue): Issue {
  return { path, message: `another daemon has changed it so that it cannot be used here: ${message}` };
}
