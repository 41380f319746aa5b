// The key that signs checkpoints: in the keyring where there is one, never replaced because a keyring is away, and the
// public halves of all that were used.
import { generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkpointText } from '@portico/audit-chain';
import { afterEach, expect, it } from 'vitest';
import { createTempDirectories } from '../../testing/temp-directory.js';
import { openSigner, readPublicKeys } from './signing-key.js';

const temp = createTempDirectories();
afterEach(() => temp.removeAll());

function createKeyring() {
  const kept = { text: null as string | null, isAway: false };
  const check = () => {
    if (kept.isAway) throw new Error('locked');
  };
  return {
    kept,
    async read() {
      check();
      return kept.text;
    },
    async write(text: string) {
      check();
      kept.text = text;
    },
  };
}

async function setUp() {
  const stateDirectory = await temp.create();
  const keyring = createKeyring();
  const lines: string[] = [];
  const open = () => openSigner({ stateDirectory, keyring, log: (_level, message) => lines.push(message) });
  return { stateDirectory, keyring, lines, open, file: join(stateDirectory, 'audit.key') };
}

const point = { chain_id: 'a'.repeat(64), seq: 3, hash: 'b'.repeat(64), time: '2026-01-02T03:04:05.678Z' };

it('keeps the private key in the keyring, and nothing of it in the state directory', async () => {
  const { stateDirectory, keyring, lines, open, file } = await setUp();
  const { publicKey, sign } = await open();
  expect([keyring.kept.text === null, existsSync(file)]).toEqual([false, false]);
  const path = join(stateDirectory, 'audit.pub');
  expect([readFileSync(path, 'utf8').includes(String(keyring.kept.text)), statSync(path).mode & 0o777]).toEqual([
    false,
    0o600,
  ]);
  const signed = sign(point);
  const signature = Buffer.from(signed.signature, 'base64');
  expect(verify(null, Buffer.from(checkpointText(signed)), publicKey.key, signature)).toBe(true);
  expect((await readPublicKeys(stateDirectory)).map(({ id }) => id)).toEqual([publicKey.id]);
  expect((await open()).publicKey.id).toBe(publicKey.id);
  expect(lines).toEqual([]);
});

it('signs with nothing while the keyring that has the key is away, and makes no other key', async () => {
  const { keyring, open, file } = await setUp();
  const { publicKey } = await open();
  keyring.kept.isAway = true;
  await expect(open()).rejects.toThrow('locked');
  expect(existsSync(file)).toBe(false);
  keyring.kept.isAway = false;
  expect((await open()).publicKey.id).toBe(publicKey.id);
});

it('keeps the key in a file of its owner where no keyring answers, also once one does', async () => {
  const { keyring, open, file } = await setUp();
  keyring.kept.isAway = true;
  const { publicKey } = await open();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  keyring.kept.isAway = false;
  expect([(await open()).publicKey.id, keyring.kept.text]).toEqual([publicKey.id, null]);
});

it('warns of a new key where the old one is lost, and keeps the public half of both', async () => {
  const { stateDirectory, keyring, lines, open } = await setUp();
  const first = await open();
  keyring.kept.text = null;
  const second = await open();
  expect(lines).toEqual([expect.stringContaining(`is new (${second.publicKey.id})`)]);
  const ids = (await readPublicKeys(stateDirectory)).map(({ id }) => id);
  expect(ids).toEqual([second.publicKey.id, first.publicKey.id]);
});

it('writes audit.pub again where it was lost, or another key stands first in it', async () => {
  const { stateDirectory, open } = await setUp();
  const { publicKey } = await open();
  const path = join(stateDirectory, 'audit.pub');
  rmSync(path);
  await open();
  expect((await readPublicKeys(stateDirectory)).map(({ id }) => id)).toEqual([publicKey.id]);
  writeFileSync(path, String(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })));
  await open();
  expect((await readPublicKeys(stateDirectory))[0]?.id).toBe(publicKey.id);
});

it('reads no other keys as keys of checkpoints', async () => {
  const { stateDirectory } = await setUp();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' });
  writeFileSync(
    join(stateDirectory, 'audit.pub'),
    `${rsa}# text\n-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n`,
  );
  expect(await readPublicKeys(stateDirectory)).toEqual([]);
});
