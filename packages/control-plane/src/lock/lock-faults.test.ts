// Readings of the lock that fail or are out of date: nothing is used by mistake.
import { expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { heldBy } from '../state/held-by.js';
import { initialState, type PlaneState, reduce } from '../state/plane-state.js';
import { withheldBy } from '../state/target.js';
import { configOf, connectPlane, stopped, tool } from '../testing/start-plane.js';
import { createMemoryLockFile } from './lock-file.js';

const read = tool('read');
const enforced = (lock: object = {}) =>
  configOf({ mcpServers: { s: { command: 's' } }, lock: { mode: 'enforce', ...lock } });
const listing = {
  kind: 'definitions_read',
  server: 's',
  definitions: { tools: [read], resources: [], resourceTemplates: [], prompts: [] },
} as never;

/** A state whose lock has been read, and has nothing in it. */
const readState = (lock: object) =>
  reduce(reduce(initialState(enforced(lock)), listing), { kind: 'lock_loaded', loaded: { lock: new Map() } });

it('holds everything where a reading of the file fails in an unexpected way', async () => {
  const lockFile = createMemoryLockFile();
  const stores = { ...createMemoryStores(stopped), openLockFile: () => lockFile };
  const { plane, clock } = await connectPlane(
    { s: { definitions: { tools: [read] } } },
    { lock: { mode: 'enforce', newTools: 'allow' } },
    stores as never,
  );
  await plane.recover();
  lockFile.read = async () => Symbol('no text') as never; // no parser takes it
  lockFile.replace('');
  await clock.advance(0);
  expect(plane.state().catalog.capabilities).toEqual([]);
  expect(() => plane.lock.mustBeUsable()).toThrow('could not be put in force');
});

it.each<[string, object[]]>([
  ['was off in between', [{ mode: 'off' }, {}]],
  ['is another file', [{ file: 'other.lock' }]],
])('accepts nothing by a lock that %s, until it is read', (_name, locks) => {
  const before = readState({});
  expect(before.lock.loaded.fault).toBeUndefined();
  const after = locks.reduce<PlaneState>(
    (state, lock) => reduce(state, { kind: 'config_replaced', config: enforced(lock) }),
    before,
  );
  expect(after.lock.loaded.fault).toBe('it is not read yet');
  expect(after.lock.servers.get('s')?.isWhollyHeld).toBe(true);
});

it('holds names that a wholly held server does not list', () => {
  const state = readState({});
  expect(state.lock.servers.get('s')?.isWhollyHeld).toBe(true);
  expect(heldBy(state.lock, state, 'tool', 's.other')).toMatchObject({ server: 's', names: [['s.other']] });
});

it('does not send a call of a tool that its server does not list any more', () => {
  const state = readState({ newTools: 'allow' });
  const target = (id: string) => withheldBy(state, { server: 's', kind: 'tool', id });
  expect(target('s.other')).toContain('does not list it');
  expect(target('s.read')).toBeUndefined();
});

it('sends nothing to a server whose lists were not read, and asks before the lock is read', () => {
  const state = initialState(enforced());
  expect(state.lock.isEnforced).toBe(true);
  const call = { server: 's', kind: 'tool', id: 's.read' } as const;
  expect(withheldBy(state, call)).toContain('does not list it');
  const warned = initialState(enforced({ mode: 'warn' }));
  expect([warned.lock.isEnforced, withheldBy(warned, call)]).toEqual([false, undefined]);
});
