// Where the daemon of a state directory listens, in a file beside the state: for commands that look for it.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning, thisProcess } from './running-process.js';

const fileName = 'http-address';

/** In the place of the start of a process where the system does not say it. */
const unknown = '-';

/** The address that the last daemon left; undefined if none did, or its process has ended. */
export async function findDaemonAddress(stateDir: string): Promise<string | undefined> {
  const text = await readFile(join(stateDir, fileName), 'utf8').catch(() => '');
  const [, url, pid, start] = /^(https?:\/\/\S+)\n([1-9]\d*) (\S+)\n$/.exec(text) ?? [];
  if (url === undefined || start === undefined) return undefined;
  const left = { pid: Number(pid), startedAt: start === unknown ? null : start };
  return (await isRunning(left)) ? url : undefined; // another process may listen at the address of an ended daemon: it gets no token
}

/** Only for the process that holds the state directory. Returns what removes it again. */
export async function announceDaemonAddress(stateDir: string, url: string): Promise<() => Promise<void>> {
  const file = join(stateDir, fileName);
  const { pid, startedAt } = await thisProcess();
  const text = `${url}\n${pid} ${startedAt ?? unknown}\n`;
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file); // no reader sees half of it
  return () => rm(file, { force: true });
}
