// The service manager of this system: where its file goes, and which commands it takes.
import { spawnSync } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { UsageFailure } from '../failures.js';
import { launchdLabel, launchdPlist, type ServiceCommand, systemdUnit } from './unit-text.js';

type CommandLine = readonly [string, ...string[]];

export interface Manager {
  /** Absolute path of the unit or the property list. */
  readonly file: string;
  text(command: ServiceCommand): string;
  /** Run one after the other; `mayFail` where the service need not be there. */
  readonly install: readonly { readonly line: CommandLine; readonly mayFail?: true }[];
  readonly uninstall: readonly CommandLine[];
  readonly afterUninstall: readonly CommandLine[];
  /** Ends with 0 while the service runs. */
  readonly isActive: CommandLine;
  /** How a person looks at it. */
  readonly look: string;
  /** Further information for the user. */
  readonly hint: string;
}

const unit = 'portico.service';

/** @throws UsageFailure for a system that has neither */
export function managerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, home = env.HOME || homedir()): Manager {
  if (platform === 'linux') return systemd(env, home);
  if (platform === 'darwin') return launchd(home);
  throw new UsageFailure(`there is no service for ${platform} here; have its service manager run "portico daemon"`);
}

function systemd({ XDG_CONFIG_HOME: given }: NodeJS.ProcessEnv, home: string): Manager {
  const base = given !== undefined && isAbsolute(given) ? given : join(home, '.config');
  return {
    file: join(base, 'systemd/user', unit),
    text: systemdUnit,
    install: [
      { line: ['systemctl', '--user', 'daemon-reload'] },
      { line: ['systemctl', '--user', 'enable', unit] },
      { line: ['systemctl', '--user', 'restart', unit] },
    ],
    uninstall: [['systemctl', '--user', 'disable', '--now', unit]],
    afterUninstall: [['systemctl', '--user', 'daemon-reload']],
    isActive: ['systemctl', '--user', 'is-active', '--quiet', unit],
    look: `systemctl --user status ${unit}; journalctl --user -u ${unit}`,
    hint: `it ends with your last session unless you run: loginctl enable-linger ${userInfo().username}`,
  };
}

function launchd(home: string): Manager {
  const file = join(home, 'Library/LaunchAgents', `${launchdLabel}.plist`);
  const domain = `gui/${userInfo().uid}`;
  const log = join(home, 'Library/Logs/portico.log');
  return {
    file,
    text: (command) => launchdPlist(command, log),
    install: [
      { line: ['launchctl', 'bootout', `${domain}/${launchdLabel}`], mayFail: true },
      { line: ['launchctl', 'bootstrap', domain, file] },
    ],
    uninstall: [['launchctl', 'bootout', `${domain}/${launchdLabel}`]],
    afterUninstall: [],
    isActive: ['launchctl', 'print', `${domain}/${launchdLabel}`],
    look: `launchctl print ${domain}/${launchdLabel}; tail ${log}`,
    hint: 'it runs while you are logged in',
  };
}

/** @returns what went wrong; undefined if nothing did */
export function runLine([program, ...args]: CommandLine): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (status === 0) return undefined;
  return error?.message ?? (stderr.trim() || `it ended with ${status}`);
}
