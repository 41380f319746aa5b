// Where the daemon of a state directory listens, in a file beside the state: for commands that look for it.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const fileName = 'http-address';

/** The address that the last daemon left; undefined where none did, or its process has ended. */
export async function findDaemonAddress(stateDir: string): Promise<string | undefined> {
  const text = await readFile(join(stateDir, fileName), 'utf8').catch(() => '');
  const [, url, pid, startedAt] = /^(https?:\/\/\S+)\n([1-9]\d*) (\S+)\n$/.exec(text) ?? [];
  return url !== undefined && (await isRunning(Number(pid), startedAt)) ? url : undefined;
}

/** Only for the process that holds the state directory. Returns what removes it again. */
export async function announceDaemonAddress(stateDir: string, url: string): Promise<() => Promise<void>> {
  const file = join(stateDir, fileName);
  const text = `${url}\n${process.pid} ${await processStart(process.pid)}\n`;
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file); // nobody reads half of it
  return () => rm(file, { force: true });
}

/** Whoever listens at the address of a process that is gone gets no token. */
async function isRunning(pid: number, startedAt: string | undefined): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return (await processStart(pid)) === startedAt;
}

/** As the lock of the state directory tells a process from a later one of its pid; `-` where there is no /proc. */
async function processStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-';
}
