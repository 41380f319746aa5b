// A command that registers itself with the watchdog before it begins. Between the start of a process and its
// registration by the starter there is a gap in which the starter may be killed; this way there is none.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** File descriptor of the watchdog's input in the child. */
export const watchdogFd = 3;

// POSIX sh. It names its own process group, closes the pipe, and becomes the command: the pid stays. A watchdog that
// has ended must not end it by SIGPIPE, and the command must not inherit that the signal is ignored, hence the
// subshell.
const script = (unwanted: readonly string[]) =>
  [
    `(trap '' PIPE; echo "add $$" >&${watchdogFd}) 2>/dev/null`,
    `exec ${watchdogFd}>&-`,
    ...(unwanted.length === 0 ? [] : [`unset ${unwanted.join(' ')}`]),
    'exec "$0" "$@"',
  ].join('\n');

/** Variables that shells set by themselves; the command gets those of its configuration only. */
const shellVariables = ['PWD', 'OLDPWD', 'SHLVL'];

export interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; that of this process by default. */
  readonly cwd?: string | undefined;
}

/** The same command behind a shell, or undefined for one that cannot be started: to start it says best why. */
export function watchedCommand({ command, args, env, cwd = '.' }: Started): Started | undefined {
  if (!isExecutable(command, cwd, env.PATH)) return undefined;
  const unwanted = shellVariables.filter((name) => !Object.hasOwn(env, name));
  return { command: '/bin/sh', args: ['-c', script(unwanted), command, ...args], env };
}

/** As execvp(3) looks for it: a path as it is, a name in the folders of PATH. */
function isExecutable(command: string, cwd: string, path = '/usr/bin:/bin'): boolean {
  if (command.includes('/')) return isExecutableFile(resolve(cwd, command));
  return path.split(delimiter).some((folder) => isExecutableFile(resolve(cwd, folder, command)));
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
