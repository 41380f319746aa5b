// The processes of one server of 2025-11-25 over a pipe. Its questions do not say whose they are, so a call that asks runs
// where no other could have asked: in a further process while the first is taken. Nothing here is used before the server
// has asked something.
import type { AbortSignalLike } from '@portico/async';
import {
  NotSent,
  type ServerRequestHandler,
  type SettleResult,
  type UpstreamRequest,
  Withheld,
} from '@portico/upstream-pool';
import type { CallLoad } from './askers.js';
import type { AskingMemory } from './asking-memory.js';
import { messageOf, unreachable } from './failures.js';
import {
  fits,
  fitsBeside,
  isMovable,
  isOver,
  loadOf,
  type Member,
  type ServerProcess,
  toMember,
  type Waiter,
} from './pool-member.js';

export interface ProcessPoolOptions {
  readonly first: Pick<ServerProcess, 'peer' | 'send'>;
  readonly memory: AskingMemory;
  /** The first one included. */
  readonly maxProcesses: number;
  /** Starts one more. `onClosed` is called when it ends by itself. @throws UpstreamFailure */
  readonly open: (onClosed: (reason: string) => void, signal: AbortSignal) => Promise<ServerProcess>;
  readonly onLog: (line: string) => void;
  /** How long a further process is kept without a call; a minute unless said otherwise. */
  readonly idleMs?: number;
}

const defaultIdleMs = 60_000;
const openTimeoutMs = 60_000;
/** Delay of the next start after a failed one. */
const retryMs = 30_000;
/**
 * Maximum waiting calls that release their places; it is more than are asked at once. Calls beyond it wait with their
 * place.
 */
const maxLent = 1_000;
/**
 * A call of a tool that was never seen to ask waits no longer than this for a process where no other call asks, and one
 * that asks for roots only no longer for those before it.
 */
const patienceMs = 1_000;

type Loads = readonly (readonly [Member, CallLoad])[];

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #first: Member;
  readonly #members: Member[];
  readonly #waiting = new Set<Waiter>();
  readonly #starting = new Set<Promise<void>>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #over = new AbortController();
  #isPumping = false;
  /** Why the last one could not be started. */
  #failure: string | undefined;
  /** While it runs no other is tried. */
  #pause: NodeJS.Timeout | undefined;

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    this.#first = toMember({ ...options.first, close: async () => {} }, true);
    this.#members = [this.#first];
  }

  /** How many run. */
  get size(): number {
    return this.#members.length;
  }

  /** Sends a call by the process that it can be asked in; waits for one where there is none. */
  send(request: UpstreamRequest, signal: AbortSignalLike, handler: ServerRequestHandler, settle: SettleResult): void {
    const kind = this.#options.memory.kindOf(request);
    const waiter: Waiter = {
      request,
      signal,
      handler,
      settle,
      kind,
      isPinned: !isMovable(request),
      hasWaited: false,
      isPatient: true,
      stopWaiting() {},
    };
    if (signal.aborted || this.#over.signal.aborted) this.#give(this.#first, waiter);
    else if (!this.#place(waiter)) this.#wait(waiter);
  }

  /** Ends all but the first. Never rejects. */
  async close(): Promise<void> {
    this.#over.abort(new Error('the session was closed'));
    this.#endPause();
    for (const waiter of [...this.#waiting]) this.#drop(waiter, unreachable('the session was closed', false));
    for (const member of this.#members.slice(1)) this.#end(member);
    await Promise.all([...this.#starting, ...this.#leaving]);
  }

  #wait(waiter: Waiter): void {
    const giveUp = () => this.#drop(waiter, new NotSent(this.#whyWaiting(waiter)));
    const patience = setTimeout(() => {
      waiter.isPatient = false;
      this.#pumpSoon();
    }, patienceMs).unref();
    waiter.hasWaited = true;
    const onTaken = this.#waiting.size < maxLent ? waiter.handler.onHeld?.() : undefined;
    waiter.stopWaiting = () => {
      clearTimeout(patience);
      onTaken?.();
      waiter.signal.removeEventListener('abort', giveUp);
    };
    waiter.signal.addEventListener('abort', giveUp, { once: true });
    this.#waiting.add(waiter);
    for (const member of this.#members) member.peer.askers.watchers.add(this.#pumpSoon);
    this.#grow();
  }

  #drop(waiter: Waiter, failure: unknown): void {
    this.#take(waiter);
    waiter.settle.reject(failure);
  }

  /** It does not wait any more. */
  #take(waiter: Waiter): void {
    waiter.stopWaiting();
    this.#waiting.delete(waiter);
    if (this.#waiting.size === 0) for (const { peer } of this.#members) peer.askers.watchers.delete(this.#pumpSoon);
  }

  /** Looks again for those who wait, once what has changed has changed altogether. */
  readonly #pumpSoon = (): void => {
    if (this.#isPumping || this.#waiting.size === 0) return;
    this.#isPumping = true;
    queueMicrotask(() => {
      this.#isPumping = false;
      this.#placeWaiting();
      this.#grow();
    });
  };

  /** Looks at the calls that run once, and again after each call that finds a place. */
  #placeWaiting(): void {
    const refused = new Set<string>(); // a call that is placed makes no place for others
    let loads: Loads | undefined;
    for (const waiter of [...this.#waiting]) {
      const sort = `${waiter.kind} ${waiter.isPinned} ${waiter.isPatient}`;
      if (refused.has(sort)) continue;
      loads ??= this.#loads();
      if (this.#place(waiter, loads)) loads = undefined;
      else refused.add(sort);
    }
  }

  #loads(): Loads {
    return this.#members.map((member) => [member, loadOf(member)]);
  }

  /** Whether a process took it. */
  #place(waiter: Waiter, loads = this.#loads()): boolean {
    const { kind, isPinned, isPatient } = waiter;
    const isOpen = ([member, load]: Loads[number]) =>
      !member.isRetired && (member.isFirst || !isPinned) && fits(load, kind);
    const found = loads.find(isOpen)?.[0];
    const isHopeful =
      kind === 'roots' && isPatient ? !isPinned : this.#mayGrow(waiter) && (kind !== undefined || isPatient);
    const isBesideOpen = () => loads.some(([member, load]) => member.isFirst && fitsBeside(load, kind));
    const chosen = found ?? (!isHopeful && isBesideOpen() ? this.#first : undefined);
    if (chosen === undefined) return false;
    this.#take(waiter);
    this.#give(chosen, waiter);
    return true;
  }

  #give(member: Member, waiter: Waiter): void {
    const { request, signal, handler, settle } = waiter;
    const reason = waiter.hasWaited ? request.withhold?.() : undefined;
    if (reason !== undefined) {
      settle.reject(new Withheld(reason));
      return;
    }
    // Only a call of kind `perhaps` blocks its process for others while it runs.
    const isAlone = waiter.kind === 'perhaps' && loadOf(member).total === 0;
    const suspicion = isAlone ? this.#options.memory.suspicionOf(request) : undefined;
    clearTimeout(member.idle);
    member.calls += 1;
    member.arriving.add(waiter);
    const settled: SettleResult = {
      resolve: (result, text) => {
        this.#options.memory.acquit(request, suspicion);
        this.#endCall(member, waiter, true);
        settle.resolve(result, text);
      },
      reject: (error) => {
        this.#endCall(member, waiter, isOver(error));
        settle.reject(error);
      },
    };
    member.send(request, signal, handler, settled, () => member.arriving.delete(waiter));
  }

  #endCall(member: Member, waiter: Waiter, isDone: boolean): void {
    member.arriving.delete(waiter);
    member.calls -= 1;
    if (!isDone && !member.isFirst) member.isRetired = true;
    if (member.calls === 0 && !member.isFirst) {
      if (member.isRetired) this.#end(member);
      else this.#keepFor(member, this.#options.idleMs ?? defaultIdleMs);
    }
    this.#pumpSoon();
  }

  #keepFor(member: Member, idleMs: number): void {
    clearTimeout(member.idle);
    member.idle = setTimeout(() => this.#end(member), idleMs).unref();
  }

  /** @param persons calls in the first process that wait for a person; looked up where that counts */
  #mayGrow({ kind, isPinned, isPatient }: Waiter, persons = () => loadOf(this.#first).persons): boolean {
    // A call that asks for roots only waits for earlier calls, which is short where no person has to answer.
    if (isPinned || (kind === 'roots' && isPatient && persons() === 0)) return false;
    return this.#starting.size > 0 || this.#hasRoom();
  }

  #hasRoom(): boolean {
    if (this.#over.signal.aborted || this.#pause !== undefined) return false;
    return this.#members.length + this.#starting.size + this.#leaving.size < this.#options.maxProcesses;
  }

  #grow(): void {
    if (this.#waiting.size === 0 || !this.#hasRoom()) return;
    const { persons } = loadOf(this.#first);
    const waiting = [...this.#waiting].filter((waiter) => this.#mayGrow(waiter, () => persons));
    const asking = waiting.filter(({ kind }) => kind !== undefined).length;
    const wanted = asking + (asking < waiting.length ? 1 : 0); // those that never ask share one
    while (this.#starting.size < wanted && this.#hasRoom()) this.#start();
  }

  #start(): void {
    const { open, onLog } = this.#options;
    const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(openTimeoutMs)]);
    let member: Member | undefined;
    let closedBy: string | undefined;
    const onClosed = (reason: string) => {
      closedBy = reason;
      if (member !== undefined && this.#remove(member)) onLog(`[portico] a further process ended: ${reason}`);
      this.#pumpSoon();
    };
    const started = open(onClosed, signal)
      .then(
        async (opened) => {
          member = toMember(opened, false);
          if (this.#over.signal.aborted || closedBy !== undefined) return opened.close();
          this.#add(member);
        },
        (error) => {
          if (this.#over.signal.aborted) return;
          this.#failure = messageOf(error);
          this.#pauseStarts();
          onLog(`[portico] no further process could be started for calls that ask: ${messageOf(error)}`);
        },
      )
      .finally(() => {
        this.#starting.delete(started);
        this.#pumpSoon();
      });
    this.#starting.add(started);
  }

  /** Checks waiting calls when the pause is over: no other event may come before. */
  #pauseStarts(): void {
    this.#endPause();
    this.#pause = setTimeout(() => {
      this.#endPause();
      this.#pumpSoon();
    }, retryMs).unref();
  }

  #endPause(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
  }

  #add(member: Member): void {
    this.#failure = undefined;
    this.#endPause();
    this.#members.push(member);
    if (this.#waiting.size > 0) member.peer.askers.watchers.add(this.#pumpSoon);
    this.#keepFor(member, this.#options.idleMs ?? defaultIdleMs);
  }

  #remove(member: Member): boolean {
    clearTimeout(member.idle);
    const at = this.#members.indexOf(member);
    if (at > 0) this.#members.splice(at, 1);
    member.isRetired = true;
    return at > 0;
  }

  #end(member: Member): void {
    this.#remove(member);
    const gone = member.close().finally(() => {
      this.#leaving.delete(gone);
      this.#pumpSoon();
    });
    this.#leaving.add(gone);
  }

  #whyWaiting({ isPinned }: Waiter): string {
    const { maxProcesses } = this.#options;
    if (maxProcesses === 1 || isPinned)
      return 'calls of it that ask run one by one in its one process (maxProcesses), and another waits for its caller';
    if (this.#failure !== undefined)
      return `another call waits for its caller, and no further process of it could be started: ${this.#failure}`;
    if (this.#starting.size > 0)
      return 'another call waits for its caller, and the further process of it for this one is still starting';
    const taken = `all of its ${maxProcesses} processes have calls that wait for their callers (maxProcesses: ${maxProcesses})`;
    return `${taken}; answer or cancel some of them, or raise maxProcesses`;
  }
}
