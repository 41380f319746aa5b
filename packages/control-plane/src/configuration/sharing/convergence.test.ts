// Any sequence of changes in several files, in any order of notifications, starts, failures and crashes: all files end
// alike, with every edit that has no conflict.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFailingLog, initial, openDaemon, sourceOf } from '../../testing/shared-files.js';
import { applyEdits, type ConfigEdit, type MemoryConfigSource } from '../config-source.js';
import { fieldAt } from '../edits.js';
import { type ConfigurationLog, createMemoryConfigurationLog } from './configuration-log.js';
import { sharedPart } from './shared-fields.js';

it('ends with the same in all files, for any order of changes and notifications', async () => {
  const field = fc.constantFrom('policy', 'rbac', 'profiles');
  const path = fc.tuple(field, fc.constantFrom('a', 'b'), fc.constantFrom('c', 'd'));
  const value = fc.oneof(
    fc.integer(),
    fc.constant(undefined),
    fc.array(fc.integer(), { maxLength: 2 }),
    fc.constant({}),
  );
  const edit = fc.record({
    path: fc.tuple(path, fc.integer({ min: 1, max: 3 })).map(([p, n]) => p.slice(0, n)),
    value,
  });
  const step = fc.record({
    daemon: fc.integer({ min: 0, max: 2 }),
    kind: fc.constantFrom('change', 'hand', 'receive', 'restart', 'fail', 'crash'),
    edit,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const logOf = createMemoryConfigurationLog();
      const open = await Promise.all([0, 1, 2].map((host) => openFailing(logOf(`f${host}`), sourceOf(initial))));
      const edits: ConfigEdit[] = [];
      for (const { daemon, kind, edit } of steps) {
        const at = open[daemon];
        if (at === undefined) continue;
        if (kind !== 'receive' && kind !== 'restart') edits.push(edit);
        if (kind === 'change') void at.shared.change(() => [edit]);
        if (kind === 'hand') {
          await at.source.load();
          at.source.replace(applyEdits(at.file(), [edit]));
        }
        if (kind === 'receive') await at.shared.load();
        if (kind === 'fail') await failing(at, edit);
        if (kind === 'crash') await at.changeUnnoticed(edit);
        if (kind === 'restart' || kind === 'crash') open[daemon] = await openFailing(logOf(`f${daemon}`), at.source);
      }
      for (const { shared } of [...open, ...open]) await shared.load();
      const [first, ...others] = open.map(({ file }) => sharedPart(file()));
      for (const other of others) expect(other).toEqual(first);
      for (const edit of edits.filter((each) => !edits.some(contradicts(each)))) {
        expect(fieldAt(first ?? {}, edit.path)).toEqual(edit.value);
      }
    }),
    { numRuns: 300 },
  );
});

const idle = () => new Promise<void>((resolve) => setTimeout(resolve));

const isPart = (a: ConfigEdit, b: ConfigEdit) => a.path.every((name, index) => b.path[index] === name);
const contradicts = (a: ConfigEdit) => (b: ConfigEdit) => a !== b && (isPart(a, b) || isPart(b, a));

async function openFailing(changes: ConfigurationLog, source: MemoryConfigSource) {
  const { fail, changes: failing } = createFailingLog(changes);
  const daemon = await openDaemon(failing, source);
  /** The file is written, and the log does not receive the change. */
  const changeUnnoticed = async (edit: ConfigEdit) => {
    fail(true);
    const changed = daemon.shared.change(() => [edit]);
    fail(false);
    await expect(changed).rejects.toThrow('gone');
  };
  return { ...daemon, changeUnnoticed };
}

/** It lives on, and takes it up by itself. */
async function failing(
  { shared, clock, file, changeUnnoticed }: Awaited<ReturnType<typeof openFailing>>,
  edit: ConfigEdit,
) {
  const end = shared.watch(async () => void (await shared.load()));
  await idle();
  await changeUnnoticed(edit);
  await clock.advance(1000);
  await idle();
  expect(shared.current().file).toEqual(file());
  end();
}
