// Where the key that seals logins is: in the keyring where there is one, else in a file that its owner alone may read.
import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createTempDirectories } from '../testing/temp-directory.js';
import { type KeyPlace, openSealKey } from './seal-key.js';

const temp = createTempDirectories();

afterEach(() => temp.removeAll());

const noKeyring: KeyPlace = {
  read: () => Promise.reject(new Error('no keyring answers')),
  write: () => Promise.reject(new Error('no keyring answers')),
};

function memoryKeyring(): KeyPlace & { text: string | null } {
  const place = { text: null as string | null };
  return Object.assign(place, {
    read: async () => place.text,
    write: async (text: string) => {
      place.text = text;
    },
  });
}

async function world() {
  const directory = await temp.create();
  const logged: string[] = [];
  const openKey = (keyring: KeyPlace, isKeyringUsed = false) =>
    openSealKey({ directory, keyring, isKeyringUsed, log: (level, message) => logged.push(`${level}: ${message}`) });
  const open = async (keyring: KeyPlace) => (await openKey(keyring)).bytes;
  return { directory, logged, open, openKey, file: join(directory, 'oauth.key') };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('is made in the keyring once, and no file is', async () => {
  const { directory, open, logged } = await world();
  const keyring = memoryKeyring();
  const key = await open(keyring);
  expect(key).toHaveLength(32);
  expect(keyring.text).toBe(key.toString('base64'));
  expect(await open(keyring)).toEqual(key);
  expect([await readdir(directory), logged]).toEqual([[], []]);
});

test('is made in a file where there is no keyring, for its owner alone, and stays there', async () => {
  const { directory, file, open, logged } = await world();
  const key = await open(noKeyring);
  expect(await modeOf(file)).toBe(0o600);
  expect(await readFile(file, 'utf8')).toBe(`${key.toString('base64')}\n`);
  expect(await readdir(directory)).toEqual(['oauth.key']);
  expect(logged).toEqual([`info: the key that seals logins is in ${file}: no keyring answers`]);
  await chmod(file, 0o644);
  expect(await open(memoryKeyring())).toEqual(key);
  expect(await modeOf(file)).toBe(0o600);
});

test('is another for every state directory without a keyring', async () => {
  const [one, two] = [await world(), await world()];
  expect((await one.open(noKeyring)).equals(await two.open(noKeyring))).toBe(false);
});

test('is replaced when the stored text is not a key', async () => {
  const { file, open } = await world();
  await writeFile(file, 'too short');
  expect(await open(noKeyring)).toHaveLength(32);
  const keyring = memoryKeyring();
  keyring.text = 'no key';
  const other = await world();
  expect((await other.open(keyring)).toString('base64')).toBe(keyring.text);
});

test('is made in a file where the keyring does not keep it', async () => {
  const { file, open } = await world();
  const forgetful: KeyPlace = { read: async () => null, write: async () => {} };
  expect((await open(forgetful)).toString('base64')).toBe((await readFile(file, 'utf8')).trim());
});

test('says where it is', async () => {
  const { openKey } = await world();
  expect((await openKey(memoryKeyring())).home).toBe('keyring');
  expect((await openKey(noKeyring)).home).toBe('file');
});

test('of a keyring that is in use is waited for, and no other is made', async () => {
  const { directory, file, logged, openKey } = await world();
  const keyring = memoryKeyring();
  const key = await openKey(keyring);
  await expect(openKey(noKeyring, true)).rejects.toThrow('no keyring answers');
  expect(await readdir(directory)).toEqual([]);
  expect(logged).toEqual([
    `warn: the key that seals logins is in the keyring, which cannot be used: no keyring answers; unlock it, or put another key into ${file} and log in again`,
  ]);
  expect(await openKey(keyring, true)).toEqual(key);
  const own = randomBytes(32);
  await writeFile(file, own.toString('base64'));
  expect(await openKey(noKeyring, true)).toEqual({ home: 'file', bytes: own });
});
