// Requirements of a revision of MCP, as the suite froze them. Read from the suite's own files; nothing is listed here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { suiteFolder } from './suite-folder.js';

export const revisions = ['2025-11-25', '2026-07-28'] as const;

export type Revision = (typeof revisions)[number];

/** The part of the suite: `server` scenarios play a client, `client` scenarios play a server. */
export type Leg = 'server' | 'client';

export interface Requirements {
  readonly required: readonly string[];
  /** Run and reported, never scored: extensions, and what the suite's own reference does not pass. */
  readonly notScored: readonly string[];
}

type File = Readonly<Record<Leg, readonly string[]>> & {
  readonly not_scored: readonly { readonly scenario: string; readonly leg: Leg }[];
};

export function readRequirements(revision: Revision, leg: Leg): Requirements {
  const text = readFileSync(join(suiteFolder, 'requirements', `${revision}.yaml`), 'utf8');
  const file = parse(text) as File; // shipped with the pinned suite
  const notScored = file.not_scored.filter((entry) => entry.leg === leg).map(({ scenario }) => scenario);
  return { required: file[leg], notScored };
}
