// Several files that are kept in step: what is changed in one ends in all, in one order, and no file is lost over another.
import { isJsonObject } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import {
  createFailingLog,
  initial,
  openAll,
  openDaemon,
  type Refuse,
  set,
  sourceOf,
} from '../../testing/shared-files.js';
import { type ChangeCause, InvalidConfig, type MemoryConfigSource } from '../config-source.js';
import type { ConfigurationLog } from './configuration-log.js';

const idle = () => new Promise<void>((resolve) => setTimeout(resolve));

async function openTwo(...refuse: readonly (Refuse | undefined)[]) {
  const { logOf, daemons } = await openAll(refuse[0], refuse[1]);
  const [a, b] = daemons;
  if (a === undefined || b === undefined) throw new Error('two were opened');
  return { logOf, a, b };
}

describe('what is changed at one', () => {
  it('is put into the files of the others, and not reported again by them', async () => {
    const { a, b, logOf } = await openTwo();
    await a.change({ command: 'x' }, 'mcpServers', 'x');
    expect((await b.shared.load()).file).toEqual({ ...initial, mcpServers: { x: { command: 'x' } } });
    await a.shared.load();
    expect(await logOf('').newest()).toBe(1);
  });

  it('by hand is shared as well, also if it was made while the daemon did not run', async () => {
    const { a, b, logOf } = await openTwo();
    a.source.replace({ ...initial, toolTimeoutMs: 2, port: 7 });
    await a.shared.load();
    await b.shared.load();
    expect(b.file()).toEqual({ ...initial, toolTimeoutMs: 2 });
    b.source.replace({ ...initial, toolTimeoutMs: 3, port: 8 });
    const again = await openDaemon(logOf('f1'), b.source);
    await a.shared.load();
    expect([a.file(), again.file()]).toEqual([
      { ...initial, toolTimeoutMs: 3, port: 7 },
      { ...initial, toolTimeoutMs: 3, port: 8 },
    ]);
  });

  it('while another did not run is in its file before that one is asked anything', async () => {
    const { a, b, logOf } = await openTwo();
    await a.change(5, 'toolTimeoutMs');
    const started = await openDaemon(logOf('f1'), b.source);
    expect(started.shared.current().file.toolTimeoutMs).toBe(5);
  });

  it('is not put into a file that is new: it is taken as it is', async () => {
    const { a, logOf } = await openTwo();
    await a.change(5, 'toolTimeoutMs');
    const late = await openDaemon(logOf('new'), sourceOf({ ...initial, toolTimeoutMs: 9 }));
    expect(late.file().toolTimeoutMs).toBe(9);
    await a.change(6, 'toolTimeoutMs');
    expect((await late.shared.load()).file.toolTimeoutMs).toBe(6);
  });

  it('in a file that differs is warned of when it is opened', async () => {
    const { a, logOf } = await openTwo();
    const other = { ...initial, port: 7, toolTimeoutMs: 9, mcpServers: { 'x y': { command: 'x' } } };
    const late = await openDaemon(logOf('new'), sourceOf(other));
    expect(late.log).toMatchObject([{ level: 'warn', fields: { fields: ['toolTimeoutMs', 'mcpServers["x y"]'] } }]);
    expect(a.log).toEqual([]);
  });

  it('is at once in force at another that uses the same file', async () => {
    const { a, logOf } = await openTwo();
    const twin = await openDaemon(logOf('f0'), a.source);
    const causes: ChangeCause[] = [];
    twin.shared.watch(async (cause) => {
      causes.push(cause);
      await twin.shared.load();
    });
    await a.change(5, 'toolTimeoutMs');
    await idle();
    expect([causes, twin.shared.current().file.toolTimeoutMs]).toEqual([['daemon'], 5]);
    expect(await logOf('').newest()).toBe(1);
  });

  it('is made on top of what others have changed, which may forbid it', async () => {
    const { a, b } = await openTwo();
    await a.change({ command: 'x' }, 'mcpServers', 'x');
    const done = await b.shared.change((file) => {
      expect(file.mcpServers).toEqual({ x: { command: 'x' } });
      return set('y', 'mcpServers', 'x', 'command');
    });
    expect(done.file.mcpServers).toEqual({ x: { command: 'y' } });
    const refusal = new Error('no');
    await a.change(4, 'toolTimeoutMs');
    const refused = b.shared.change(() => {
      throw refusal;
    });
    await expect(refused).rejects.toBe(refusal);
    expect(b.file().toolTimeoutMs).toBe(1000);
    expect((await b.shared.load()).file.toolTimeoutMs).toBe(4);
  });

  it('by hand counts as the newest, over changes in between', async () => {
    const { a, b } = await openTwo();
    await a.change(['b'], 'policy', 'deny');
    await a.change(5, 'toolTimeoutMs');
    b.source.replace({ ...initial, policy: { deny: ['c'] } });
    await b.shared.load();
    await a.shared.load();
    const wanted = { ...initial, toolTimeoutMs: 5, policy: { deny: ['c'] } };
    expect([a.file(), b.file()]).toEqual([wanted, wanted]);
  });

  it('by hand under an object that no file had stays beside what another has put there', async () => {
    const { a, b } = await openTwo();
    a.source.replace({ ...initial, profiles: { ofA: { servers: ['x'] }, none: {} }, rbac: {} });
    b.source.replace({ ...initial, profiles: { ofB: { servers: ['y'] } }, rbac: { roles: { r: {} } } });
    for (const { shared } of [b, a, b]) await shared.load();
    const profiles = { ofB: { servers: ['y'] }, ofA: { servers: ['x'] }, none: {} };
    const wanted = { ...initial, profiles, rbac: { roles: { r: {} } } };
    expect([a.file(), b.file()]).toEqual([wanted, wanted]);
    a.source.replace({ ...initial, rbac: {} });
    for (const { shared } of [a, b]) await shared.load();
    expect(b.file()).toEqual({ ...initial, rbac: {} });
  });

  it('by hand as the definition of one new server is one of them, never half of each', async () => {
    const { a, b } = await openTwo();
    a.source.replace({ ...initial, mcpServers: { x: { command: 'x' } } });
    b.source.replace({ ...initial, mcpServers: { x: { url: 'https://x' } } });
    for (const { shared } of [a, b, a]) await shared.load();
    const wanted = { ...initial, mcpServers: { x: { url: 'https://x' } } };
    expect([a.file(), b.file()]).toEqual([wanted, wanted]);
  });
});

describe('what cannot be used somewhere', () => {
  const needsVariable: Refuse = ({ mcpServers }) =>
    isJsonObject(mcpServers) && Object.hasOwn(mcpServers, 'x') ? 'no variable X' : undefined;

  it('is said there, holds nothing else up, and is tried again', async () => {
    let isSet = false;
    const { a, b } = await openTwo(undefined, (file) => (isSet ? undefined : needsVariable(file)));
    await a.change({ command: 'x' }, 'mcpServers', 'x');
    await a.change(5, 'toolTimeoutMs');
    const { file, issues } = await b.shared.load();
    expect(file).toEqual({ ...initial, toolTimeoutMs: 5 });
    expect(issues).toEqual([
      { path: 'here', message: 'another daemon has changed it so that it cannot be used here: no variable X' },
    ]);
    await b.change(6, 'toolTimeoutMs');
    expect(b.log).toMatchObject([{ level: 'error', fields: { seq: 1, reason: 'here: no variable X' } }]);
    isSet = true;
    expect((await b.shared.load()).issues).toEqual([]);
    await a.shared.load();
    const all = { ...initial, toolTimeoutMs: 6, mcpServers: { x: { command: 'x' } } };
    expect([a.file(), b.file()]).toEqual([all, all]);
  });

  it('is forgotten when it is taken back', async () => {
    const { a, b } = await openTwo(undefined, needsVariable);
    await a.change({ command: 'x' }, 'mcpServers', 'x');
    expect((await b.shared.load()).issues).toHaveLength(1);
    await a.change(undefined, 'mcpServers', 'x');
    expect(await b.shared.load()).toMatchObject({ file: initial, issues: [] });
  });

  it('is what cannot be written here, and the file stays in force as it is', async () => {
    const { a, b, logOf } = await openTwo();
    await a.change(5, 'toolTimeoutMs');
    let refusal: Error = new InvalidConfig([{ path: 'x', message: 'twins' }]);
    const source: MemoryConfigSource = { ...b.source, change: () => Promise.reject(refusal) };
    const stuck = await openDaemon(logOf('f1'), source);
    expect(stuck.shared.current()).toMatchObject({
      file: initial,
      issues: [{ path: 'x', message: expect.stringContaining('twins') }],
    });
    refusal = new Error('it cannot be written (EROFS)');
    expect((await stuck.shared.load()).issues).toEqual([
      { path: '', message: 'is not in step with other daemons: it cannot be written (EROFS)' },
    ]);
  });

  it('is the file itself, which has to be corrected first', async () => {
    const broken: Refuse = ({ port }) => (port === 0 ? 'port' : undefined);
    const { a, b } = await openTwo(undefined, broken);
    await a.change(5, 'toolTimeoutMs');
    b.source.replace({ ...initial, port: 0 });
    await expect(b.shared.load()).rejects.toThrow(InvalidConfig);
    b.source.replace({ ...initial, port: 4 });
    expect((await b.shared.load()).file).toEqual({ ...initial, port: 4, toolTimeoutMs: 5 });
  });
});

describe('while the log is away', () => {
  it('a file is in force alone, and in step when the log is back', async () => {
    const { a, b, logOf } = await openTwo();
    let isAway = true;
    const listeners: ((seq: number | undefined) => void)[] = [];
    const changes: ConfigurationLog = {
      ...logOf('f1'),
      exclusively: (work) => (isAway ? Promise.reject(new Error('away')) : logOf('f1').exclusively(work)),
      follow: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    };
    const away = await openDaemon(changes, b.source);
    expect(away.shared.current().issues).toEqual([{ path: '', message: 'is not in step with other daemons: away' }]);
    b.source.replace({ ...initial, toolTimeoutMs: 3 });
    expect((await away.shared.load()).file.toolTimeoutMs).toBe(3);
    await expect(away.change(4, 'toolTimeoutMs')).rejects.toThrow('away');
    const causes: ChangeCause[] = [];
    away.shared.watch(async (cause) => {
      causes.push(cause);
      await away.shared.load();
    });
    await a.change({ command: 'x' }, 'mcpServers', 'x');
    isAway = false;
    for (const listener of listeners) listener(undefined);
    await idle();
    await a.shared.load();
    const all = { ...initial, toolTimeoutMs: 3, mcpServers: { x: { command: 'x' } } };
    expect([a.file(), b.file()]).toEqual([all, all]);
    expect(new Set(causes)).toEqual(new Set(['daemon']));
    expect(away.shared.current().issues).toEqual([]);
  });
});

describe('when the log fails with the file written', () => {
  async function openFailing() {
    const { a, b, logOf } = await openTwo();
    const { changes, fail } = createFailingLog(logOf('f1'));
    let isAway = false;
    const newest = () => (isAway ? Promise.reject(new Error('away')) : changes.newest());
    const failing = await openDaemon({ ...changes, newest }, b.source);
    const causes: ChangeCause[] = [];
    const end = failing.shared.watch(async (cause) => {
      causes.push(cause);
      await failing.shared.load();
    });
    await idle();
    const away = (is: boolean) => {
      isAway = is;
    };
    return { a, failing, fail, away, causes, end };
  }

  it('says that the file has the change, and takes it up as soon as that works', async () => {
    const { a, failing, fail, away, causes } = await openFailing();
    fail(true);
    await expect(failing.change(5, 'toolTimeoutMs')).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message:
        'the file has the change, but other daemons could not be notified of it (gone); it is in force as soon as they can be',
    });
    expect([failing.file().toolTimeoutMs, failing.shared.current().file.toolTimeoutMs]).toEqual([5, 1000]);
    await failing.clock.advance(1000);
    expect([causes, (await a.shared.load()).file.toolTimeoutMs]).toEqual([['daemon'], 1000]);
    away(true);
    await failing.clock.advance(5000);
    expect(causes).toHaveLength(1);
    away(false);
    fail(false);
    await failing.clock.advance(1000);
    expect([causes.length, failing.shared.current()]).toMatchObject([2, { file: { toolTimeoutMs: 5 }, issues: [] }]);
    expect((await a.shared.load()).file.toolTimeoutMs).toBe(5);
    await failing.clock.advance(5000);
    expect(causes).toHaveLength(2);
  });

  it('retries nothing after the last watcher has left, or for a refused change', async () => {
    const { failing, fail, causes, end } = await openFailing();
    const refused = failing.shared.change(() => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    await failing.clock.advance(5000);
    fail(true);
    await expect(failing.change(5, 'toolTimeoutMs')).rejects.toThrow('the file has the change');
    end();
    fail(false);
    await failing.clock.advance(5000);
    expect(causes).toEqual([]);
  });
});

describe('watching', () => {
  it('notifies once of changes of others, and never of its own', async () => {
    const { a, b } = await openTwo();
    const received: string[] = [];
    const watch = ({ shared }: typeof a, name: string) =>
      shared.watch(async (cause) => {
        received.push(`${name} ${cause}`);
        await shared.load();
      });
    const [endA] = [watch(a, 'a'), watch(b, 'b')];
    await a.change(1, 'toolTimeoutMs');
    await idle();
    expect(received).toEqual(['b daemon']);
    b.source.replace({ ...b.file(), toolTimeoutMs: 2 });
    await idle();
    expect(received).toEqual(['b daemon', 'b file', 'a daemon']);
    endA();
    await b.change(3, 'toolTimeoutMs');
    await idle();
    expect([received.length, a.file().toolTimeoutMs]).toEqual([3, 2]);
  });
});
