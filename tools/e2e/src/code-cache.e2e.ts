// A program that was bundled, and the code that is kept of it from one start to the next.
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { repository } from './support/repository.js';

const launchUrl = pathToFileURL(join(repository, 'packages/host/dist/launch.js')).href;

interface Program {
  readonly main: string;
  /** Where its code is kept. */
  readonly cache: string;
}

/** A program whose script says a word, with a package `greeting` as a script of its own. */
function writeProgram({
  word = 'hello',
  build = 'b1',
  keepAfterMs = 0,
  holdsYoungGeneration = false,
  folder = tempFolder(),
} = {}): Program {
  mkdirSync(join(folder, 'dist'), { recursive: true });
  const bundle = {
    build,
    keepAfterMs,
    program: 'program.cjs',
    builtins: ['path'],
    holdsYoungGeneration,
    parts: { greeting: 'greeting.cjs' },
    required: {},
    paths: { own: [] },
  };
  const main = join(folder, 'dist/main.mjs');
  writeFileSync(join(folder, 'dist/greeting.cjs'), `exports.greeting = { toLoud: (word) => word.toUpperCase() };`);
  writeFileSync(
    join(folder, 'dist/program.cjs'),
    `const { toLoud } = require('greeting');
    exports.run = async () => {
      const { sep } = await __moduleContext('own').import('node:path');
      process.stdout.write(toLoud(${JSON.stringify(word)}) + sep);
    };`,
  );
  writeFileSync(
    main,
    `import { launch } from ${JSON.stringify(launchUrl)};
    await launch({ url: import.meta.url, ...${JSON.stringify(bundle)} }).run();`,
  );
  return { main, cache: join(folder, '.code-cache') };
}

const start = ({ main }: Program): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [main], { encoding: 'utf8' });

const keptIn = ({ cache }: Program): Readonly<Record<string, Buffer>> =>
  Object.fromEntries(readdirSync(cache).map((file) => [file, readFileSync(join(cache, file))]));

describe('a bundled program', () => {
  it('runs, and keeps the code of each of its scripts at its end', () => {
    const program = writeProgram();
    expect(start(program)).toMatchObject({ status: 0, stdout: 'HELLO/', stderr: '' });
    expect(Object.keys(keptIn(program))).toEqual([
      expect.stringMatching(/^greeting\.cjs-b1\.\w+-v.+\.bin$/),
      expect.stringMatching(/^program\.cjs-b1\.\w+-v.+\.bin$/),
    ]);
  });

  it.each([
    ['', false],
    [', also while the young generation is held', true],
  ])('is started with that code, which stays as it is%s', (_when, holdsYoungGeneration) => {
    const program = writeProgram({ holdsYoungGeneration });
    start(program);
    const files = Object.keys(keptIn(program));
    const written = () => files.map((file) => statSync(join(program.cache, file)).ino); // each write makes a new file
    const before = [keptIn(program), written()];
    expect(start(program)).toMatchObject({ status: 0, stdout: 'HELLO/', stderr: '' });
    expect([keptIn(program), written()]).toEqual(before);
  });

  it.each([
    ['is cut short', (bytes: Buffer) => bytes.subarray(0, 100)],
    ['is empty', () => Buffer.alloc(0)],
    ['has one bit changed', (bytes: Buffer) => withBit(bytes, bytes.length - 20)],
    ['has another hash', (bytes: Buffer) => withBit(bytes, 3)],
  ])('compiles again where what was kept %s, and keeps that', (_what, damage) => {
    const program = writeProgram();
    start(program);
    const files = Object.entries(keptIn(program));
    for (const [file, bytes] of files) writeFileSync(join(program.cache, file), damage(bytes));
    expect(start(program)).toMatchObject({ status: 0, stdout: 'HELLO/', stderr: '' });
    const after = keptIn(program);
    expect(Object.keys(after)).toEqual(files.map(([file]) => file));
    for (const [file, bytes] of files) expect(after[file]?.length, file).toBe(bytes.length);
    expect(start(program)).toMatchObject({ status: 0, stdout: 'HELLO/' });
    expect(keptIn(program)).toEqual(after);
  });

  it('does not take the code of another build for its own, which is removed', () => {
    const program = writeProgram();
    start(program);
    // As long as the one before: V8 itself would take the code of that one.
    const changed = writeProgram({ word: 'fears', build: 'b2', folder: join(program.cache, '..') });
    expect(start(changed)).toMatchObject({ status: 0, stdout: 'FEARS/' });
    expect(Object.keys(keptIn(changed)).map((file) => /-(b\d)\./.exec(file)?.[1])).toEqual(['b2', 'b2']);
  });

  it('runs where nothing can be written', () => {
    const program = writeProgram();
    writeFileSync(program.cache, 'a file, where the folder would be');
    expect(start(program)).toMatchObject({ status: 0, stdout: 'HELLO/', stderr: '' });
    rmSync(program.cache);
    mkdirSync(program.cache);
    chmodSync(program.cache, 0o500);
    expect(start(program)).toMatchObject({ status: 0, stdout: 'HELLO/', stderr: '' });
  });

  it('keeps whole files where several processes end at once', async () => {
    const program = writeProgram();
    const children = Array.from({ length: 4 }, () => spawn(process.execPath, [program.main], { stdio: 'ignore' }));
    expect(await Promise.all(children.map((child) => once(child, 'exit')))).toEqual(children.map(() => [0, null]));
    const kept = keptIn(program);
    expect(Object.keys(kept)).toHaveLength(2);
    expect(start(program)).toMatchObject({ status: 0, stdout: 'HELLO/' });
    expect(keptIn(program)).toEqual(kept);
  });

  it('does not run what was kept of a script that was changed by hand', () => {
    const program = writeProgram();
    start(program);
    const script = join(program.main, '../program.cjs');
    writeFileSync(script, readFileSync(script, 'utf8').replace('hello', 'fears'));
    utimesSync(script, new Date(), new Date(Date.now() + 5000));
    expect(start(program)).toMatchObject({ status: 0, stdout: 'FEARS/' });
  });

  it('keeps its code where others cannot write, with any umask', () => {
    const program = writeProgram();
    spawnSync('/bin/sh', ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, program.main]);
    const modes = [program.cache, ...Object.keys(keptIn(program)).map((file) => join(program.cache, file))];
    for (const path of modes) expect(statSync(path).mode & 0o022, path).toBe(0);
  });

  it('keeps nothing where it has ended soon, or where its script is another by then', () => {
    const soon = writeProgram({ keepAfterMs: 60_000 });
    expect(start(soon)).toMatchObject({ status: 0, stdout: 'HELLO/' });
    const replaced = writeProgram();
    const script = join(replaced.main, '../program.cjs');
    const touch = `require('node:fs').utimesSync(${JSON.stringify(script)}, 1, 1);`;
    writeFileSync(script, `${touch}\n${readFileSync(script, 'utf8')}`);
    expect(start(replaced)).toMatchObject({ status: 0, stdout: 'HELLO/' });
    expect([existsSync(soon.cache), Object.keys(keptIn(replaced)).some((file) => file.startsWith('program'))]).toEqual([
      false,
      false,
    ]);
  });

  it('fails as its script does', () => {
    const program = writeProgram();
    writeFileSync(join(program.main, '../program.cjs'), `throw new Error('no such thing');`);
    const { status, stderr } = start(program);
    expect(status).toBe(1);
    expect(stderr).toContain('no such thing');
    expect(stderr).toMatch(/program\.cjs:1/);
  });
});

it('the scripts of the programs are ASCII, which they are read as', () => {
  const scripts = ['daemon', 'mcp-http', 'mcp-stdio'].map((app) => join(repository, 'apps', app, 'dist/process.cjs'));
  for (const script of scripts) expect(readFileSync(script, 'latin1'), script).toMatch(/^[\0-\x7f]*$/);
});

function withBit(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
