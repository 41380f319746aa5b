import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

function parentFolder() {
  const parent = mkdtempSync(join(tmpdir(), 'portico-temp-folder-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return parent;
}

/** Opens one in a process of its own, and says what was there before that process ended. */
function openIn(parent) {
  return JSON.parse(run(parent).stdout);
}

function run(parent) {
  const script = `import { statSync } from 'node:fs';
    import { openTempFolder } from '${new URL('./temp-folder.mjs', import.meta.url)}';
    const folder = openTempFolder();
    console.log(JSON.stringify({ folder, mode: statSync(folder).mode & 0o777 }));`;
  const env = { ...process.env, TMPDIR: parent };
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' });
}

it('says in one line what to do about a TMPDIR that is not there', () => {
  const { status, stdout, stderr } = run(join(parentFolder(), 'none'));
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^Temporary files cannot be made in .*none \(ENOENT.*set TMPDIR to a folder.*\n$/),
  ]);
});

it('is in the TMPDIR that is given, open to the users of servers, and gone with its process', () => {
  const parent = parentFolder();
  const { folder, mode } = openIn(parent);
  expect([folder.startsWith(`${parent}/portico-test-`), mode]).toEqual([true, 0o711]);
  expect(readdirSync(parent)).toEqual([]);
});

it('removes the folders of runs that were killed, and no others', () => {
  const parent = parentFolder();
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  const abandoned = join(parent, `portico-test-${pid}-abc`);
  const others = [join(parent, `portico-test-${process.pid}-abc`), join(parent, 'portico-test-notes')];
  for (const folder of [abandoned, ...others]) mkdirSync(join(folder, 'deep'), { recursive: true });
  openIn(parent);
  expect([abandoned, ...others].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  expect(statSync(join(others[0] ?? '', 'deep')).isDirectory()).toBe(true);
});
