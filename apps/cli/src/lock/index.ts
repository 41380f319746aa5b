// `portico lock`: what servers say of their tools, beside what was accepted.
import type { Command } from 'commander';
import { addOperatorFlag, type OperatorOptions, operatorOf } from '../approvals/operator.js';
import { addConnectionFlags, addGroup, addOfflineCommand, type Shell } from '../command.js';
import { CommandFailure, exitCodes, UsageFailure } from '../failures.js';
import { type LockOptions, openLock } from './open-lock.js';

interface OfServer extends LockOptions {
  readonly server?: string;
}

interface AcceptOptions extends OfServer, OperatorOptions {
  readonly all?: true;
}

export function addLock(program: Command, shell: Shell): void {
  const group = addGroup(program, 'lock', 'Review and accept what servers say of their tools');
  for (const add of [addInit, addDiff, addAccept, addVerify]) add(group, shell);
}

const exitCodeHelp = `
Exit codes: 0 the same as the lock, 10 it differs and needs no review, 11 to be reviewed, 12 dangerous, 2 the lock cannot
be used.`;

function flagsOf(command: Command): Command {
  return addConnectionFlags(command).option(
    '--offline',
    'read the configuration file and the stored state of the last run; no daemon is asked or needed',
  );
}

function addInit(group: Command, shell: Shell): void {
  addOfflineCommand<[], AcceptOptions>(group, shell, {
    usage: 'init',
    summary: 'Write the lock file from the current lists of all servers',
    examples: ['lock init', 'lock init --offline --config mcp_servers.json'],
    flags: (command) => addOperatorFlag(flagsOf(command)),
    async run(output, _words, options, stopped) {
      const lock = await openLock(options, stopped);
      try {
        if (lock.path === null) throw new CommandFailure(lockIsOff);
        if (!lock.isMissing) throw new CommandFailure(`${lock.path} is there already: see portico lock diff`);
        if (lock.gap !== undefined) output.note(lock.gap);
        const { drifts } = await lock.drift();
        const items = drifts.map(({ id, digest }) => ({ id, digest }));
        const accepted = await lock.accept({ items, operator: operatorOf(options) });
        const answer = { ok: true, file: lock.path, accepted };
        output.answer(answer, () => output.line(`${lock.path}: ${accepted.length} definitions; commit it`));
        return exitCodes.ok;
      } finally {
        await lock.close();
      }
    },
  });
}

function addDiff(group: Command, shell: Shell): void {
  addOfflineCommand<[], OfServer>(group, shell, {
    usage: 'diff',
    summary: 'Show the differences from the lock, with both texts, and findings in definitions',
    examples: ['lock diff', 'lock diff --server memory', 'lock diff --offline --config mcp_servers.json'],
    flags: (command) =>
      flagsOf(command).option('--server <id>', 'of this server only').addHelpText('after', exitCodeHelp),
    async run(output, _words, options, stopped) {
      const lock = await openLock(options, stopped);
      try {
        if (lock.gap !== undefined) output.note(lock.gap);
        const drift = await lock.drift(options.server);
        const { showDrift } = await import('./show-drift.js');
        output.answer({ ok: true, ...drift }, () => showDrift(output, drift));
        return drift.verdict;
      } finally {
        await lock.close();
      }
    },
  });
}

function addAccept(group: Command, shell: Shell): void {
  addOfflineCommand<[string[]], AcceptOptions>(group, shell, {
    usage: 'accept [ids...]',
    summary: 'Accept differences that were reviewed, by the ids that "lock diff" shows',
    examples: ['lock accept tool:memory.read_graph --operator ann', 'lock accept --server memory', 'lock accept --all'],
    flags: (command) =>
      addOperatorFlag(flagsOf(command))
        .option('--server <id>', 'all of this server')
        .option('--all', 'all of every server'),
    async run(output, [ids], options, stopped) {
      if (ids.length === 0 && options.server === undefined && options.all !== true)
        throw new UsageFailure('name what to accept: ids of "portico lock diff", --server ID, or --all');
      const lock = await openLock(options, stopped);
      try {
        if (lock.path === null) throw new CommandFailure(lockIsOff);
        const { drifts } = await lock.drift(options.server);
        const chosen = ids.length === 0 ? drifts : drifts.filter(({ id }) => ids.includes(id));
        const missing = ids.filter((id) => !chosen.some((drift) => drift.id === id));
        if (missing.length > 0) throw new CommandFailure(`no difference ${missing.join(', ')}: see portico lock diff`);
        const items = chosen.map(({ id, digest }) => ({ id, digest }));
        const accepted = await lock.accept({ items, operator: operatorOf(options) });
        output.answer({ ok: true, file: lock.path, accepted }, () => {
          for (const id of accepted) output.line(`accepted ${id}`);
          output.line(`${lock.path}: ${accepted.length} accepted; commit it`);
        });
        return exitCodes.ok;
      } finally {
        await lock.close();
      }
    },
  });
}

function addVerify(group: Command, shell: Shell): void {
  addOfflineCommand<[string | undefined], LockOptions>(group, shell, {
    usage: 'verify [file]',
    summary: 'Fail if the lock is stale or cannot be used; for scripts',
    examples: ['lock verify', 'lock verify --offline --config mcp_servers.json'],
    flags: (command) => flagsOf(command).addHelpText('after', exitCodeHelp),
    async run(output, [file], options, stopped) {
      const lock = await openLock(options, stopped);
      try {
        if (lock.path === null && file === undefined) throw new CommandFailure(lockIsOff);
        if (lock.gap !== undefined) output.note(lock.gap);
        const drift = file === undefined ? await lock.drift() : await lock.verify(file);
        const { drifts, verdict } = drift;
        const { summaryOf } = await import('./show-drift.js');
        output.answer({ ok: true, ...drift }, () => {
          if (!drift.usable) output.line(`the lock cannot be used: ${drift.fault}`);
          for (const { id, class: found, changes } of drifts)
            output.line(`${found}  ${id}: ${changes.map(({ field }) => field).join(', ')}`);
          if (drift.usable) output.line(`${file ?? lock.path}: ${summaryOf(drifts.length, verdict)}`);
        });
        return verdict;
      } finally {
        await lock.close();
      }
    },
  });
}

const lockIsOff = 'there is no lock: set lock.mode to "warn" or "enforce" in the configuration';
