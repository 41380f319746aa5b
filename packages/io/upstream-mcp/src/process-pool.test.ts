// The process of a server that a call gets, over processes whose calls the test counts and ends.
import type { JsonObject } from '@portico/contracts';
import { NotSent, type ServerRequestHandler, Unasked, UpstreamFailure, Withheld } from '@portico/upstream-pool';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallLoad } from './askers.js';
import { type AskingKind, createAskingMemory } from './asking-memory.js';
import { unreachable } from './failures.js';
import type { Send } from './pool-member.js';
import { ProcessPool, type ProcessPoolOptions } from './process-pool.js';

const idleMs = 1000;
const named = (name: string, more: JsonObject = {}) => ({ method: 'tools/call', params: { name, ...more } }) as const;

/** A process whose calls run until the test ends them. */
function fakeProcess(name: string, memory = createAskingMemory()) {
  const running = new Map<string, { resolve(): void; reject(error: unknown): void }>();
  const parked = new Set<string>();
  const watchers = new Set<() => void>();
  const notifyWatchers = () => {
    for (const each of [...watchers]) each();
  };
  let holdsBack = false;
  const held: (() => void)[] = [];
  const load = (): CallLoad => {
    const kinds = [...running.keys()].map((call) => memory.kindOf(named(call)) ?? (parked.has(call) ? 'person' : null));
    const askers = kinds.filter((kind) => kind !== null);
    const persons = askers.filter((kind) => kind !== 'roots').length;
    return { total: running.size, unasked: running.size - parked.size, askers: askers.length, persons };
  };
  const send: Send = ({ params }, _signal, _handler, settle, onSent) => {
    const call = String(params.name);
    const end = (how: () => void) => () => {
      running.delete(call);
      parked.delete(call);
      notifyWatchers();
      how();
    };
    const begin = () => {
      running.set(call, {
        resolve: end(() => settle.resolve({ by: name })),
        reject: (error) => end(() => settle.reject(error))(),
      });
      onSent?.();
    };
    if (holdsBack) held.push(begin);
    else begin();
  };
  return {
    name,
    peer: { askers: { load, watchers } },
    send,
    close: vi.fn(async () => {}),
    names: () => [...running.keys()],
    answer: (call: string) => running.get(call)?.resolve(),
    fail: (call: string, error: unknown) => running.get(call)?.reject(error),
    park(call: string) {
      parked.add(call);
      notifyWatchers();
    },
    /** Has calls wait before they leave, as for a level of log messages. */
    holdBack() {
      holdsBack = true;
    },
    letGo() {
      holdsBack = false;
      for (const begin of held.splice(0)) begin();
    },
  };
}

interface Options extends Partial<ProcessPoolOptions> {
  /** The calls that are known to ask. */
  readonly asks?: Readonly<Record<string, AskingKind>>;
}

const twoThatAsk: Readonly<Record<string, AskingKind>> = { ask: 'person', ask2: 'person' };

function start({ asks = twoThatAsk, ...options }: Options = {}) {
  const memory = createAskingMemory();
  for (const [name, kind] of Object.entries(asks)) memory.note(named(name), kind);
  const first = fakeProcess('first', memory);
  const further: (ReturnType<typeof fakeProcess> & { readonly lose: (reason: string) => void })[] = [];
  const logged: string[] = [];
  const pool = new ProcessPool({
    first,
    memory,
    maxProcesses: 3,
    onLog: (line) => logged.push(line),
    idleMs,
    async open(onClosed) {
      const opened = { ...fakeProcess(`further ${further.length + 1}`, memory), lose: onClosed };
      further.push(opened);
      return opened;
    },
    ...options,
  });
  const seats = { lent: 0 };
  const onHeld = () => {
    seats.lent += 1;
    return () => {
      seats.lent -= 1;
    };
  };
  const handler: ServerRequestHandler = { capabilities: {}, onServerRequest: async () => ({}), onHeld };
  const call = (name: string, more: { readonly params?: JsonObject; readonly withhold?: () => string } = {}) => {
    const abort = new AbortController();
    const { params = {}, ...rest } = more;
    const result = new Promise<JsonObject>((resolve, reject) =>
      pool.send({ ...named(name, params), ...rest }, abort.signal, handler, { resolve, reject }),
    );
    result.catch(() => {});
    return { abort, result };
  };
  /** The calls at each process. */
  const places = () => [first, ...further].map(({ names }) => names());
  return { pool, memory, first, further, logged, call, places, seats };
}

const passed = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a call that asks', () => {
  it('is alone in its process, the first where that is free', async () => {
    const { call, places, pool } = start();
    for (const name of ['ask', 'ask2']) call(name);
    await passed();
    expect([places(), pool.size]).toEqual([[['ask'], ['ask2']], 2]);
  });

  it('takes a further process beside a call that never asks, and beside one that is under way', async () => {
    const { call, places, first } = start();
    first.holdBack();
    call('plain');
    call('ask');
    await passed();
    first.letGo();
    expect(places()).toEqual([['plain'], ['ask']]);
  });

  it('waits where all processes are taken, gets the first that is free, in turn, and says what it waits for', async () => {
    const { call, places, first } = start({ maxProcesses: 1 });
    call('ask');
    const [second, third] = [call('ask2'), call('ask')];
    await passed();
    expect(places()).toEqual([['ask']]);
    first.answer('ask');
    await passed();
    expect(places()).toEqual([['ask2']]);
    third.abort.abort(new Error('too late'));
    await expect(third.result).rejects.toThrow(NotSent);
    await expect(third.result).rejects.toThrow('maxProcesses');
    first.answer('ask2');
    expect(await second.result).toEqual({ by: 'first' });
  });

  it('frees its slot for others while it waits', async () => {
    const { call, first, seats } = start({ maxProcesses: 1 });
    call('ask');
    expect(seats.lent).toBe(0);
    const late = call('ask2');
    call('ask2');
    expect(seats.lent).toBe(2);
    late.abort.abort(new Error('too late'));
    expect(seats.lent).toBe(1);
    first.answer('ask');
    await passed();
    expect(seats.lent).toBe(0);
  });

  it.each([
    ['one sort', ['ask']],
    ['three sorts', ['ask', 'roots', 'perhaps']],
  ])('has what runs looked at twice, however many calls of %s wait', async (_what, names) => {
    const asks = { ask: 'person', roots: 'roots', perhaps: 'perhaps' } as const;
    const { call, first, places } = start({ asks, maxProcesses: 1 });
    call('ask');
    for (let n = 0; n < 1100; n += 1) call(names[n % names.length] ?? '');
    await passed(1000); // from then on none of them is patient
    const lookUps = vi.spyOn(first.peer.askers, 'load');
    first.answer('ask');
    await passed();
    expect(places()).toEqual([['ask']]);
    expect(lookUps).toHaveBeenCalledTimes(2); // before and after it
  });

  it('leaves its place to others where no more than 1,000 wait', () => {
    const { call, seats } = start({ maxProcesses: 1 });
    for (let n = 0; n < 1100; n += 1) call('ask');
    expect(seats.lent).toBe(1000);
  });

  it('names the limit when there are several processes', async () => {
    const { call } = start({ maxProcesses: 2 });
    for (const name of ['ask', 'ask2']) call(name);
    const late = call('ask');
    await passed();
    late.abort.abort(new Error('too late'));
    await expect(late.result).rejects.toThrow('maxProcesses: 2');
  });

  it('for roots only waits for others of its kind, and for no person', async () => {
    const { call, places, first } = start({ asks: { roots: 'roots', roots2: 'roots', ask: 'person' } });
    call('roots');
    call('roots2');
    await passed();
    expect(places()).toEqual([['roots']]);
    first.answer('roots');
    await passed();
    expect(places()).toEqual([['roots2']]);
    first.answer('roots2');
    await passed();
    call('ask');
    call('roots');
    await passed();
    expect(places()).toEqual([['ask'], ['roots']]);
  });

  it('for roots only does not wait for a person either', async () => {
    const { call, places } = start({ asks: { roots: 'roots', roots2: 'roots' } });
    call('roots');
    call('roots2');
    await passed(1000);
    expect(places()).toEqual([['roots'], ['roots2']]);
  });

  it('for roots only waits for those that never ask, and after a second takes a further process', async () => {
    const { call, places, first } = start({ asks: { roots: 'roots' } });
    call('plain');
    call('roots');
    await passed(999);
    expect(places()).toEqual([['plain']]);
    first.answer('plain');
    await passed();
    expect(places()).toEqual([['roots']]);
    first.answer('roots');
    call('slow');
    call('roots');
    await passed(1000);
    expect(places()).toEqual([['slow'], ['roots']]);
  });

  it('for roots only waits no longer than a second where no further process is available', async () => {
    const { call, places } = start({ asks: { roots: 'roots' }, maxProcesses: 1 });
    call('plain');
    call('roots');
    await passed(999);
    expect(places()).toEqual([['plain']]);
    await passed(1);
    expect(places()).toEqual([['plain', 'roots']]);
  });

  it('perhaps, and asked nothing when it was alone, is one that does not', async () => {
    const { call, first, memory } = start({ asks: { a: 'perhaps', ask: 'person' } });
    call('a');
    await passed();
    first.answer('a');
    expect([memory.kindOf(named('a')), memory.kindOf(named('ask'))]).toEqual([undefined, 'person']);
  });

  it('perhaps, since it began alone, stays one: a repeat runs alone', async () => {
    const { call, first, memory, places } = start();
    call('a');
    call('b');
    for (const name of ['a', 'b']) memory.note(named(name), 'perhaps'); // a question could be of either
    for (const name of ['a', 'b']) first.answer(name);
    expect([memory.kindOf(named('a')), memory.kindOf(named('b'))]).toEqual(['perhaps', 'perhaps']);
    call('a');
    call('b');
    await passed();
    expect(places()).toEqual([['a'], ['b']]);
  });

  it('perhaps stays one where that was noted once more while it ran', async () => {
    const { call, first, memory } = start({ asks: { a: 'perhaps', ask: 'person' }, maxProcesses: 1 });
    call('a');
    call('plain'); // at the limit it is beside a suspect
    for (const name of ['a', 'plain']) memory.note(named(name), 'perhaps');
    for (const name of ['a', 'plain']) first.answer(name);
    expect([memory.kindOf(named('a')), memory.kindOf(named('plain'))]).toEqual(['perhaps', 'perhaps']);
  });

  it('is not sent after a wait where it must not be any more', async () => {
    const { call, first, places } = start({ maxProcesses: 1 });
    call('ask');
    const late = call('ask2', { withhold: () => 'a rule denies it now' });
    first.answer('ask');
    await expect(late.result).rejects.toThrow(new Withheld('a rule denies it now'));
    expect(places()).toEqual([[]]);
  });

  it('as a task stays in the process where others go on with it', async () => {
    const { call, places } = start();
    call('plain');
    call('ask', { params: { task: {} } });
    await passed();
    expect(places()).toEqual([['plain', 'ask']]);
  });
});

describe('a call that never asks', () => {
  it('is beside others of its kind, and not beside one that waits for its caller, which may ask once more', async () => {
    const { call, places, first } = start();
    call('ask');
    first.park('ask');
    for (const name of ['plain', 'plain2', 'plain3']) call(name);
    await passed();
    expect(places()).toEqual([['ask'], ['plain', 'plain2', 'plain3']]);
  });

  it('runs beside one that waits for its caller where no further process is available, and waits for no call', async () => {
    const { call, places, first } = start({ maxProcesses: 1 });
    call('ask');
    first.park('ask');
    call('plain');
    expect(places()).toEqual([['ask', 'plain']]);
  });

  it('does not wait long for a process of its own', async () => {
    const { call, places } = start({ open: () => new Promise(() => {}) });
    call('ask');
    call('plain');
    await passed(500);
    expect(places()).toEqual([['ask']]);
    await passed(500);
    expect(places()).toEqual([['ask', 'plain']]);
  });
});

describe('a further process', () => {
  it('is ended when it was idle for a while, and not before', async () => {
    const { call, further, pool } = start();
    for (const name of ['ask', 'ask2']) call(name);
    await passed(idleMs * 2);
    further[0]?.answer('ask2');
    await passed(idleMs - 1);
    expect(pool.size).toBe(2);
    call('ask2');
    await passed(idleMs * 2);
    further[0]?.answer('ask2');
    await passed(idleMs);
    expect([pool.size, further[0]?.close.mock.calls.length]).toEqual([1, 1]);
  });

  it('of which a call was given up is used no more', async () => {
    const { call, further, pool } = start();
    for (const name of ['ask', 'ask2']) call(name);
    await passed();
    further[0]?.fail('ask2', new Error('the deadline'));
    await passed();
    expect([pool.size, further[0]?.close.mock.calls.length]).toEqual([1, 1]);
  });

  it.each<[string, unknown, number]>([
    ['answered with an error', new UpstreamFailure('no', { kind: 'rejected', error: { code: -1, message: 'no' } }), 2],
    ['answered with an error after a question was refused', new Unasked('of two calls', true), 2],
    ['never got the call', new NotSent('it had not taken the level of its log messages'), 2],
    ['had not answered when the call was given up', new Unasked('of two calls', false), 1],
  ])('that %s is used again where nothing goes on in it', async (_what, failure, size) => {
    const { call, further, pool } = start();
    for (const name of ['ask', 'ask2']) call(name);
    await passed();
    further[0]?.fail('ask2', failure);
    await passed();
    expect(pool.size).toBe(size);
  });

  it('that is lost is replaced for those who come', async () => {
    const { call, further, places, logged } = start();
    for (const name of ['ask', 'ask2']) call(name);
    await passed();
    further[0]?.lose('the process exited with code 1');
    further[0]?.fail('ask2', unreachable('gone', true));
    call('ask2');
    await passed();
    expect(places()[2]).toEqual(['ask2']);
    expect(logged).toEqual(['[portico] a further process ended: the process exited with code 1']);
  });

  it('that cannot be started is tried again after a while, and waiting calls receive the reason', async () => {
    let tries = 0;
    const { call, first, places } = start({
      async open() {
        tries += 1;
        throw unreachable('the port is taken', false);
      },
    });
    call('ask');
    const late = call('ask2');
    call('plain');
    await passed();
    expect(places()).toEqual([['ask', 'plain']]);
    late.abort.abort(new Error('too late'));
    await expect(late.result).rejects.toThrow('no further process of it could be started: the port is taken');
    const before = tries;
    call('ask2');
    await passed(20_000);
    expect(tries).toBe(before);
    first.answer('ask');
    await passed();
    expect(places()).toEqual([['plain', 'ask2']]);
  });

  it('that could not be started is tried again for those who wait, though no call begins or ends', async () => {
    let tries = 0;
    const { call, places, pool } = start({
      async open() {
        tries += 1;
        if (tries === 1) throw unreachable('the port is taken', false);
        return { ...fakeProcess('further'), send: () => {} };
      },
    });
    call('ask');
    call('ask2');
    await passed(29_999);
    expect([tries, pool.size]).toEqual([1, 1]);
    await passed(1);
    expect([tries, pool.size, places()]).toEqual([2, 2, [['ask']]]);
  });

  it('ends with the pool, and so do those who wait, and what is being started', async () => {
    const opening = vi.fn((_: unknown, signal: AbortSignal) => {
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    });
    const { call, pool } = start({ open: opening });
    call('ask');
    const late = call('ask2');
    await passed();
    await pool.close();
    await expect(late.result).rejects.toThrow('the session was closed');
    const other = start();
    for (const name of ['ask', 'ask2']) other.call(name);
    await passed();
    await other.pool.close();
    expect(other.further[0]?.close).toHaveBeenCalledOnce();
  });
});
