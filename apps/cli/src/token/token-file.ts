// The configuration file whose tokens are meant, and having a running daemon take what was written to it.
import type { JsonObject } from '@portico/contracts';
import type { TokenFile } from '@portico/host';
import { askHealth } from '../ask-health.js';
import type { CommonOptions } from '../command.js';
import { configFileOf } from '../connection-options.js';
import { findPlace } from '../find-place.js';
import type { Output } from '../output/output.js';

const limitMs = 5000;

export interface OpenTokenFile extends TokenFile {
  /** Absolute. */
  readonly file: string;
  /** @throws ConfigError, with nothing changed */
  change(edit: (items: readonly JsonObject[]) => readonly JsonObject[]): Promise<void>;
}

/** @throws ConfigError, UsageFailure */
export async function tokenFileOf(options: CommonOptions): Promise<OpenTokenFile> {
  const { changeTokens, readTokens } = await import('@portico/host');
  const file = configFileOf({ ...options, ...(await findPlace(options, options.url)) });
  return { file, ...(await readTokens(file)), change: (edit) => changeTokens(file, edit) };
}

/** A daemon follows its file by itself in a moment; after a reload what was written counts before the command ends. */
export async function putInForce(output: Output, options: CommonOptions): Promise<void> {
  const { connectTo, findAddress } = await import('../connection.js');
  const url = await findAddress(options);
  if (url === undefined || (await askHealth(url, limitMs)) !== 'portico') return;
  const { ApiError } = await import('@portico/client');
  const { client } = await connectTo(url, options);
  await client.reloadConfig().catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    output.note(`the file is written; the daemon did not reload it (${error.message}) and follows it by itself`);
  });
}
