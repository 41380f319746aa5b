// `portico validate`, also `portico config validate`: whether a configuration file can be used. Starts nothing. A daemon
// of that file which runs is asked for rules that match nothing.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { askHealth } from '../ask-health.js';
import { addConnectionFlags, addOfflineCommand, type CommonOptions, type Shell } from '../command.js';
import { configFileOf } from '../connection-options.js';
import { exitCodes, UsageFailure } from '../failures.js';
import { count } from '../output/describe.js';

interface Options extends CommonOptions {
  readonly strict?: true;
}

const limitMs = 5000;

export function addValidate(parent: Command, shell: Shell): void {
  const prefix = parent.name() === 'config' ? 'config ' : '';
  addOfflineCommand<[string | undefined], Options>(parent, shell, {
    usage: 'validate [file]',
    summary: 'Check a configuration file without starting anything',
    examples: [
      `${prefix}validate`,
      `${prefix}validate mcp_servers.json --json`,
      `${prefix}validate --strict mcp_servers.json`,
    ],
    flags: (command) =>
      addConnectionFlags(command).option(
        '--strict',
        'end with 2 for a warning as well: a field or a rule without effect',
      ),
    async run(output, [file], options) {
      const { ConfigError, loadConfig } = await import('@portico/host');
      const path = file === undefined ? configFileOf(options) : resolve(file);
      try {
        const loaded = await loadConfig(path);
        const asked = { ...options, config: path };
        const unmatched = await unmatchedRules(asked, JSON.stringify(loaded.value)).catch((error: unknown) => {
          if (!(error instanceof Error) || error instanceof UsageFailure) throw error;
          output.note(`the running daemon was not asked for rules that match nothing: ${error.message}`);
          return []; // the file is valid even if the daemon cannot be asked
        });
        const warnings = [...loaded.warnings, ...unmatched];
        const ok = options.strict !== true || warnings.length === 0;
        const servers = [...loaded.config.servers.keys()];
        const answer = { ok, path, servers, unknown_fields: loaded.unknownFields, warnings, issues: [] };
        output.answer(answer, () => output.line(`${path}: valid, ${count(servers.length, 'server')}`));
        for (const { path: field, message } of warnings) output.note(`${field}: ${message}`);
        return ok ? exitCodes.ok : exitCodes.usage;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (output.isJson) output.json({ ok: false, path, issues: error.issues });
        output.note(error.message);
        return exitCodes.usage; // as a daemon with that file
      }
    },
  });
}

/**
 * As the running daemon of the file finds them; none without one, or where it does not let us in.
 * @param text of the file: the daemon may have another version of it in force
 */
async function unmatchedRules(options: CommonOptions, text: string) {
  const { connectTo, findAddress } = await import('../connection.js');
  const url = await findAddress(options);
  if (url === undefined || (await askHealth(url, limitMs)) !== 'portico') return [];
  const { client } = await connectTo(url, options);
  const { ApiError } = await import('@portico/client');
  const answer = await client.listUnmatchedRules({ signal: AbortSignal.timeout(limitMs) }).catch((error: unknown) => {
    if (error instanceof ApiError) return { unmatched: [] };
    throw error;
  });
  return answer.unmatched
    .filter(({ pattern }) => text.includes(JSON.stringify(pattern)))
    .map(({ path, pattern }) => ({ path, message: `"${pattern}" matches nothing that the servers list` }));
}
