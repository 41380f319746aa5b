// The configuration file whose tokens are meant, and having a running daemon take what was written to it.
import type { JsonObject } from '@portico/contracts';
import type { TokenFile } from '@portico/host';
import { askHealth } from '../ask-health.js';
import type { CommonOptions } from '../command.js';
import { configFileOf } from '../connection-options.js';
import { UsageFailure } from '../failures.js';
import { locateDaemon } from '../locate-daemon.js';
import type { Output } from '../output/output.js';

const limitMs = 5000;

export interface OpenTokenFile extends TokenFile {
  /** Absolute. */
  readonly file: string;
  /**
   * @param edit gets the items that the file has at the write
   * @returns those items, as they were before
   * @throws ConfigError, and what `edit` throws, with nothing changed
   */
  change(edit: (items: readonly JsonObject[]) => readonly JsonObject[]): Promise<readonly JsonObject[]>;
}

/** @throws ConfigError, UsageFailure */
export async function tokenFileOf(options: CommonOptions): Promise<OpenTokenFile> {
  const { changeTokens, readTokens } = await import('@portico/host');
  const file = await fileOf(options);
  return {
    file,
    ...(await readTokens(file)),
    async change(edit) {
      let before: readonly JsonObject[] = [];
      await changeTokens(file, (items) => {
        before = items;
        return edit(items);
      });
      return before;
    },
  };
}

/**
 * The token file of the daemon at a named address: only that file is valid for it.
 * @throws UsageFailure if that daemon does not belong to this user on this machine
 */
async function fileOf(options: CommonOptions): Promise<string> {
  const { namedAddress } = await import('../connection.js');
  const named = namedAddress(options);
  if (named === undefined || options.config !== undefined) {
    return configFileOf({ ...options, ...(await locateDaemon(options, named)) });
  }
  const { config } = await locateDaemon({}, named);
  if (config !== undefined) return config;
  throw new UsageFailure(
    `no running daemon of yours has the address ${named}, so its file is not known; name that with --config FILE`,
  );
}

/**
 * A daemon follows its file by itself in a moment; after a reload what was written counts before the command ends. The
 * file is written already, so a failure of the reload is only a note.
 */
export async function putInForce(output: Output, options: CommonOptions): Promise<void> {
  try {
    await reload(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    output.note(`the file is written; the daemon did not reload it (${reason}) and follows it by itself`);
  }
}

async function reload(options: CommonOptions): Promise<void> {
  const { connectTo, findAddress } = await import('../connection.js');
  const url = await findAddress(options);
  const health = url === undefined ? 'absent' : await askHealth(url, limitMs);
  if (url === undefined || health === 'absent') return;
  if (health === 'other') throw new Error(`nothing at ${url} answered as Portico does within ${limitMs} ms`);
  const { client } = await connectTo(url, options);
  await client.reloadConfig({ signal: AbortSignal.timeout(limitMs) });
}
