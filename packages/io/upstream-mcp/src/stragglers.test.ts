// Only processes with exactly the mark are ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { createStragglers, markVariable } from './stragglers.js';
import { cleanUp, node, onCleanup } from './testing/kit.js';

afterEach(cleanUp);

async function startWith(env: Readonly<Record<string, string>>, script = ''): Promise<ChildProcess> {
  const child = spawn(node, ['-e', `${script}; console.log(1); setInterval(() => {}, 1000)`], { env, detached: true });
  onCleanup(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

it.runIf(process.platform === 'linux')('ends a stubborn process with the mark, and none with another', async () => {
  const stragglers = createStragglers();
  const [mark, other] = [stragglers.mark() ?? '', stragglers.mark() ?? ''];
  const stubborn = await startWith({ [markVariable]: mark }, "process.on('SIGTERM', () => {})");
  const kept = await Promise.all([
    startWith({ [markVariable]: other }),
    startWith({ [markVariable]: `${mark}0` }),
    startWith({ [markVariable]: `x${mark}` }),
    startWith({ OTHER: `${markVariable}=${mark}` }),
    startWith({ [`A${markVariable}`]: mark }),
  ]);
  const ended = once(stubborn, 'exit');

  await stragglers.end(mark);

  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(kept.map(({ exitCode, signalCode }) => [exitCode, signalCode])).toEqual(kept.map(() => [null, null]));
});

it.runIf(process.platform === 'linux').each([16_340, 16_384, 100_000])(
  'ends a process that has %d bytes of other variables before the mark',
  async (bytes) => {
    const stragglers = createStragglers();
    const mark = stragglers.mark() ?? '';
    const straggler = await startWith({ PAD: 'x'.repeat(bytes), [markVariable]: mark });
    const ended = once(straggler, 'exit');

    await stragglers.end(mark);

    expect(await ended).toEqual([null, 'SIGTERM']);
  },
);

it.runIf(process.platform === 'linux')('gives each child a mark that does not follow from the marks of others', () => {
  const { prefix, mark } = createStragglers();
  const marks = [mark(), mark()].map((each) => each?.match(/^([\da-f]{32})\.(\d)\.([\da-f]{32})$/)?.slice(1));
  expect(marks.map((parts) => parts?.slice(0, 2))).toEqual([
    [prefix, '1'],
    [prefix, '2'],
  ]);
  expect(new Set(marks.map((parts) => parts?.[2])).size).toBe(2);
});

it('marks nothing where the environment of a process cannot be read', async () => {
  const stragglers = createStragglers('darwin');
  expect([stragglers.prefix, stragglers.mark()]).toEqual([undefined, undefined]);
  await stragglers.end('any');
});
