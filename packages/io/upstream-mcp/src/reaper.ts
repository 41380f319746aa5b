// Ends the process groups of children when this process is killed without a chance to do so itself (SIGKILL, crash).
// A tiny shell script holds the read end of a pipe; the kernel closes the other end when we die, however we die.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { createStragglers, markVariable, type Stragglers } from './stragglers.js';

export interface Reaper {
  /** Where a child says `add <its group id>` of itself; see watched-command.ts. Starts the watchdog unless it runs. */
  input(): Writable;
  add(groupId: number): void;
  remove(groupId: number): void;
  /** Processes that left their group; the watchdog ends those too. */
  readonly stragglers: Stragglers;
  /** Waits for what left a group that has ended, and ends the watchdog. Groups that were not removed are ended by it. */
  close(): Promise<void>;
}

// POSIX sh. It ignores the signals a terminal or a service manager sends to all of us, and acts at end of input.
const script = `
trap '' INT TERM HUP
prefix=$1
groups=
signal_marked() {
  [ -n "$prefix" ] || return 0
  for process in /proc/[0-9]*; do
    tr '\\0' '\\n' < "$process/environ" | grep -qx "${markVariable}=$prefix[.][0-9]*[.][0-9a-f]*" && kill -s "$1" "\${process#/proc/}"
  done 2> /dev/null
}
while read -r verb id; do
  kept=
  for group in $groups; do [ "$group" = "$id" ] || kept="$kept $group"; done
  groups=$kept
  [ "$verb" = add ] && groups="$groups $id"
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group"; done
signal_marked TERM
sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done
signal_marked KILL
signal_marked KILL # descendants that were started in between
`;

/** Nothing is started before the first `input` or `add`. The watchdog never keeps this process alive. */
export function createReaper(path: string | undefined): Reaper {
  const groups = new Set<number>();
  const stragglers = createStragglers();
  let watchdog: ChildProcess | undefined;

  const sendLine = (line: string) => watchdog?.stdin?.write(line);

  const start = (): Writable => {
    const child = spawn('/bin/sh', ['-c', script, 'portico-reaper', stragglers.prefix ?? ''], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: path ?? '/usr/bin:/bin' },
    });
    const forget = () => {
      if (watchdog === child) watchdog = undefined; // the next add starts another
    };
    child.on('error', forget).on('exit', forget).unref();
    child.stdin.on('error', () => {}); // the exit says what there is to say
    (child.stdin as Socket).unref(); // a pipe to a child is a Socket
    watchdog = child;
    for (const group of groups) sendLine(`add ${group}\n`);
    return child.stdin;
  };

  return {
    stragglers,
    input: () => watchdog?.stdin ?? start(),
    add(groupId) {
      groups.add(groupId);
      if (watchdog === undefined) start();
      else sendLine(`add ${groupId}\n`);
    },
    remove(groupId) {
      if (groups.delete(groupId)) sendLine(`del ${groupId}\n`);
    },
    async close() {
      await stragglers.ended();
      groups.clear();
      watchdog?.stdin?.end();
      watchdog = undefined;
    },
  };
}
