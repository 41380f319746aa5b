// The places that secret URIs point to, as a test needs them: an `op` on PATH, a keyring, or none.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tempFolder } from './cleanup.js';
import { missingFolder } from './missing.js';

const stubKeyring = pathToFileURL(fileURLToPath(new URL('./stub-keyring.mjs', import.meta.url))).href;

export interface StubOp {
  /** Variables of the daemon's environment that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the answer of `op read`. */
  answer(value: string): void;
  /** The arguments of every run so far. */
  runs(): readonly string[];
}

/** The 1Password command line, as far as reading goes. Without a value it fails, with the URI in its message as `op` does. */
export function stubOp(value?: string): StubOp {
  const folder = tempFolder();
  const script = `#!/bin/sh
here=$(dirname "$0")
echo "$*" >>"$here/runs"
[ -f "$here/value" ] && exec cat "$here/value"
echo "[ERROR] could not read secret $2" >&2
exit 1
`;
  writeFileSync(join(folder, 'op'), script);
  chmodSync(join(folder, 'op'), 0o755);
  writeFileSync(join(folder, 'runs'), '');
  const answer = (next: string) => writeFileSync(join(folder, 'value'), `${next}\n`);
  if (value !== undefined) answer(value);
  return {
    env: { PATH: [folder, process.env.PATH].join(delimiter) },
    answer,
    runs: () => readFileSync(join(folder, 'runs'), 'utf8').split('\n').slice(0, -1),
  };
}

export interface StubKeyring {
  readonly env: Readonly<Record<string, string>>;
  /** Passwords by `service|account`. */
  entries(): Readonly<Record<string, string>>;
}

/** A keyring in place of the operating system's. */
export function stubbedKeyring(entries: Readonly<Record<string, string>>): StubKeyring {
  const file = join(tempFolder(), 'keyring.json');
  writeFileSync(file, JSON.stringify(entries));
  return {
    env: { NODE_OPTIONS: `--import ${stubKeyring}`, KEYRING_FILE: file },
    entries: () => JSON.parse(readFileSync(file, 'utf8')),
  };
}

/** On Linux: a session without any Secret Service. */
export const noKeyring = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${missingFolder}/bus` };
