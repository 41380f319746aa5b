// `--for`, `--uses` and `--keep` of `portico approvals approve`: an approval that is kept as a grant.
import type { Bodies } from '@portico/client';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageFailure } from '../failures.js';

export interface GrantFlags {
  /** Seconds. */
  readonly for?: number;
  readonly uses?: number;
  readonly keep?: readonly string[];
}

type Grant = NonNullable<Bodies['approve']['grant']>;

export function addGrantFlags(command: Command): Command {
  return command
    .option('--for <time>', 'keep the approval for later calls, such as 30m, 8h or 2d; with --uses', secondsOf)
    .option('--uses <count>', 'how many later calls it answers; with --for', countOf)
    .option(
      '--keep <pointer>',
      'an argument that later calls must have unchanged, such as /repo; may be repeated; "none" for no argument: any values are answered, also those that meet another rule (default: all of them)',
      (pointer: string, before: readonly string[] = []) => [...before, pointer],
    );
}

/** Undefined for an approval of one call. @throws UsageFailure */
export function grantOf({ for: ttlSecs, uses, keep }: GrantFlags): Grant | undefined {
  if (ttlSecs === undefined && uses === undefined && keep === undefined) return undefined;
  if (ttlSecs === undefined || uses === undefined)
    throw new UsageFailure('give both --for and --uses to keep an approval, such as --for 8h --uses 20');
  const isNone = keep?.includes('none') === true;
  if (isNone && keep.length > 1) throw new UsageFailure('give --keep none alone: it keeps no argument');
  return { ttl_secs: ttlSecs, uses, ...(keep === undefined ? {} : { keep: isNone ? [] : [...keep] }) };
}

const unitSecs: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function secondsOf(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('expected a time such as 90s, 30m, 8h or 2d');
  return Number(amount) * (unitSecs[unit] ?? 1);
}

/** As `--for` takes it. */
export function durationText(secs: number): string {
  const [unit, size] = Object.entries(unitSecs).findLast(([, each]) => secs % each === 0) ?? ['s', 1];
  return `${secs / size}${unit}`;
}

function countOf(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}
