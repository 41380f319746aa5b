// The list of a user's daemons: what runs is found, what has ended is removed, and what another user may have written is
// not read.
import { chmodSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { listDaemons, registerDaemon } from './daemon-registry.js';
import { deadPid } from './testing/dead-pid.js';
import { createTempDirectories } from './testing/temp-directory.js';

const directories = createTempDirectories();
afterEach(directories.removeAll);

const daemon = { url: 'http://127.0.0.1:9', configFile: '/a/mcp_servers.json', stateDir: '/s/1' };

it('is written for its owner alone, found while the process runs, and removed', async () => {
  const directory = join(await directories.create(), 'made', 'portico');
  const remove = await registerDaemon([directory], daemon);
  const second = { ...daemon, configFile: '/0/mcp_servers.json', stateDir: '/s/2' };
  await registerDaemon([directory], second);
  const { pid } = process;
  expect(await listDaemons([directory])).toEqual([
    { ...second, pid },
    { ...daemon, pid },
  ]);
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);
  expect([statSync(directory).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600]);
  await remove?.();
  expect(await listDaemons([directory])).toEqual([{ ...second, pid }]);
});

it.each([
  ['a process that has ended', `${deadPid} 1`],
  ['a later process with its pid', `${process.pid} 1`],
])('of %s is removed', async (_title, holder) => {
  const directory = await directories.create();
  await registerDaemon([directory], daemon);
  const [name = ''] = readdirSync(directory);
  writeFileSync(join(directory, name), `${daemon.url}\n/a\n/s\n${holder}\n`);
  expect(await listDaemons([directory])).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

it('leaves out a directory that others may write, and a link to one', async () => {
  const home = await directories.create();
  const [open, linked, own] = [join(home, 'open'), join(home, 'linked'), join(home, 'own')];
  mkdirSync(open);
  chmodSync(open, 0o777);
  await registerDaemon([own], daemon);
  symlinkSync(own, linked);
  await registerDaemon([open, linked, own], { ...daemon, stateDir: '/s/2' });
  expect([readdirSync(open).length, readdirSync(own).length]).toEqual([0, 2]);
  expect(await listDaemons([open, linked])).toEqual([]);
});

it('does not read a link, a file that others may write, or one that is no such file', async () => {
  const home = await directories.create();
  const [directory, elsewhere] = [join(home, 'here'), join(home, 'elsewhere')];
  await registerDaemon([directory], daemon);
  const [name = ''] = readdirSync(directory);
  const file = join(directory, name);
  chmodSync(file, 0o622);
  expect(await listDaemons([directory])).toEqual([]);
  chmodSync(file, 0o600);
  expect(await listDaemons([directory])).toHaveLength(1);
  renameSync(file, elsewhere);
  symlinkSync(elsewhere, file);
  expect(await listDaemons([directory])).toEqual([]);
  writeFileSync(join(directory, '0123456789abcdef'), 'nonsense');
  expect(await listDaemons([directory])).toEqual([]);
});

it('reads and writes nothing in a directory of another user', async () => {
  const directory = join(await directories.create(), 'theirs');
  await registerDaemon([directory], daemon);
  const spy = vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1);
  try {
    expect(await listDaemons([directory])).toEqual([]);
    expect(await registerDaemon([directory], { ...daemon, stateDir: '/s/2' })).toBeUndefined();
  } finally {
    spy.mockRestore();
  }
  expect(readdirSync(directory)).toHaveLength(1);
});

it('has no line for a path with a line break, and no error for a directory that cannot be made', async () => {
  const directory = await directories.create();
  expect(await registerDaemon([directory], { ...daemon, configFile: '/a\n/b' })).toBeUndefined();
  writeFileSync(join(directory, 'file'), '');
  expect(await registerDaemon([join(directory, 'file/portico')], daemon)).toBeUndefined();
  expect(await listDaemons([join(directory, 'none')])).toEqual([]);
});
