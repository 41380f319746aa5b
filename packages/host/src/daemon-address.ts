// Where the daemon of a state directory listens, in a file beside the state: for commands that look for it.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const fileName = 'http-address';

/** The address that the last daemon left; undefined where none did, or it has ended in order. */
export async function findDaemonAddress(stateDir: string): Promise<string | undefined> {
  const text = await readFile(join(stateDir, fileName), 'utf8').catch(() => '');
  return /^https?:\/\/\S+\n$/.test(text) ? text.trim() : undefined;
}

/** Only for the process that holds the state directory. Returns what removes it again. */
export async function announceDaemonAddress(stateDir: string, url: string): Promise<() => Promise<void>> {
  const file = join(stateDir, fileName);
  await writeFile(`${file}.new`, `${url}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file); // nobody reads half of it
  return () => rm(file, { force: true });
}
