// `portico service`: the daemon as a service of this user, by systemd or launchd.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { userConfigFile } from '@portico/host/place';
import type { Command } from 'commander';
import { addConnectionFlags, addGroup, addOfflineCommand, type CommonOptions, type Shell } from '../command.js';
import { configFileOf } from '../connection-options.js';
import { CommandFailure, exitCodes } from '../failures.js';
import { ownMcpStdio } from '../own-command.js';
import { type Manager, managerOf, runLine } from './manager.js';
import type { ServiceCommand } from './unit-text.js';

interface InstallOptions extends CommonOptions {
  readonly dryRun?: true;
}

export function addService(program: Command, shell: Shell): void {
  const group = addGroup(program, 'service', 'The daemon as a service of this user (systemd, launchd)');
  addInstall(group, shell);
  addUninstall(group, shell);
  addStatus(group, shell);
}

function addInstall(group: Command, shell: Shell): void {
  addOfflineCommand<[], InstallOptions>(group, shell, {
    usage: 'install',
    summary: 'Install the service, start it now and at each login; replaces an installed one',
    examples: ['service install', 'service install --config mcp_servers.json --dry-run'],
    flags: (command) => addConnectionFlags(command).option('--dry-run', 'only print what would be written'),
    async run(output, _args, options) {
      const manager = managerOf(process.platform, process.env);
      const { loadConfig } = await import('@portico/host');
      const config = configFileOf(options);
      await loadConfig(config); // a service that cannot start is not installed
      const text = manager.text(commandFor(config, options));
      if (options.dryRun === true) {
        output.answer({ ok: true, file: manager.file, text }, () => output.raw(text));
        output.note(`this would be ${manager.file}`);
        return exitCodes.ok;
      }
      const isNew = (await readFile(manager.file, 'utf8').catch(() => '')) !== text;
      if (isNew) {
        await mkdir(dirname(manager.file), { recursive: true });
        await writeFile(manager.file, text, { mode: 0o644 });
      }
      if (isNew || runLine(manager.isActive) !== undefined) start(manager);
      output.answer({ ok: true, file: manager.file, changed: isNew }, () =>
        output.line(`${manager.file}: ${isNew ? 'installed and started' : 'is installed and runs'}`),
      );
      output.note(manager.hint);
      return exitCodes.ok;
    },
  });
}

function addUninstall(group: Command, shell: Shell): void {
  addOfflineCommand<[]>(group, shell, {
    usage: 'uninstall',
    summary: 'Stop the service and remove it; configuration and state stay',
    examples: ['service uninstall'],
    async run(output) {
      const manager = managerOf(process.platform, process.env);
      const wasThere = (await readFile(manager.file, 'utf8').catch(() => undefined)) !== undefined;
      if (wasThere) {
        for (const line of manager.uninstall) noteProblem(output, runLine(line), line);
        await rm(manager.file, { force: true });
        for (const line of manager.afterUninstall) noteProblem(output, runLine(line), line);
      }
      output.answer({ ok: true, file: manager.file, removed: wasThere }, () =>
        output.line(`${manager.file}: ${wasThere ? 'removed' : 'was not there'}`),
      );
      return exitCodes.ok;
    },
  });
}

function addStatus(group: Command, shell: Shell): void {
  addOfflineCommand<[]>(group, shell, {
    usage: 'status',
    summary: 'Whether the service is installed and runs; ends with 1 unless it does',
    examples: ['service status', 'service status --json'],
    async run(output) {
      const manager = managerOf(process.platform, process.env);
      const installed = (await readFile(manager.file, 'utf8').catch(() => undefined)) !== undefined;
      const active = installed && runLine(manager.isActive) === undefined;
      const state = active ? 'runs' : installed ? 'is installed and does not run' : 'is not installed';
      output.answer({ ok: true, file: manager.file, installed, active }, () => output.line(`the service ${state}`));
      if (installed) output.note(`look at it with: ${manager.look}`);
      return active ? exitCodes.ok : exitCodes.failed;
    },
  });
}

function commandFor(config: string, { stateDir }: CommonOptions): ServiceCommand {
  const [node, entry = ''] = ownMcpStdio();
  const place = stateDir === undefined ? [] : ['--state-dir', resolve(stateDir)];
  return {
    argv: [node, entry, 'daemon', '--config', config, ...place],
    path: process.env.PATH ?? '',
    environmentFile: join(dirname(userConfigFile(process.env)), 'environment'),
  };
}

/** @throws CommandFailure, which says what is left to do by hand */
function start(manager: Manager): void {
  for (const { line, mayFail } of manager.install) {
    const problem = runLine(line);
    if (problem === undefined || mayFail === true) continue;
    const rest = manager.install.map((each) => `  ${each.line.join(' ')}`).join('\n');
    throw new CommandFailure(
      `${manager.file} is written and not started: ${problem}; as the user's own session run\n${rest}`,
    );
  }
}

function noteProblem(output: { note(text: string): void }, problem: string | undefined, line: readonly string[]): void {
  if (problem !== undefined) output.note(`${line.join(' ')}: ${problem}`);
}
