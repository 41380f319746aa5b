// The arguments of `npm run interop`.
import { parseArgs } from 'node:util';
import { clients, languages } from './clients.js';
import { servers } from './servers.js';

export const parts = [...languages, 'servers'] as const;

export type Part = (typeof parts)[number];

export interface Options {
  readonly parts: readonly Part[];
  /** Ids. */
  readonly clients: readonly string[];
  /** Ids. */
  readonly servers: readonly string[];
  /** Whether all of everything is asked for, which is what the document shows. */
  readonly isWhole: boolean;
}

export const usage = [
  'usage: npm run interop -- [--only PART,…] [--clients ID,…] [--servers ID,…]',
  `  parts:   ${parts.join(', ')}; npm also tries the servers that the workspace itself installs`,
  `  clients: ${clients.map(({ id }) => id).join(', ')}`,
  `  servers: ${servers.map(({ id }) => id).join(', ')}`,
].join('\n');

/** @throws with a message for a person where an argument is unknown */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, clients: { type: 'string' }, servers: { type: 'string' } },
  });
  const chosenParts = choose('--only', values.only, parts);
  const chosenClients = choose(
    '--clients',
    values.clients,
    clients.map(({ id }) => id),
  );
  const chosenServers = choose(
    '--servers',
    values.servers,
    servers.map(({ id }) => id),
  );
  return {
    parts: chosenParts,
    clients: values.servers !== undefined && values.clients === undefined ? [] : chosenClients,
    servers: values.clients !== undefined && values.servers === undefined ? [] : chosenServers,
    isWhole: Object.keys(values).length === 0,
  };
}

function choose<Name extends string>(flag: string, given: string | undefined, known: readonly Name[]): readonly Name[] {
  if (given === undefined) return known;
  const names = given.split(',');
  const unknown = names.filter((name) => !known.some((each) => each === name));
  if (unknown.length > 0) throw new Error(`${flag}: ${unknown.join(', ')} is not one of ${known.join(', ')}`);
  return known.filter((name) => names.includes(name));
}
