// Shared helpers of the tests with one server `s`. For tests of this package only.
import { resolveConfig, type ServerConfig } from '@portico/contracts';
import type { UpstreamListener } from '../upstream.js';

/** As the configuration of it is read. */
export function configOf(definition: object): ServerConfig {
  const resolved = resolveConfig({ mcpServers: { s: definition } });
  const config = resolved.ok ? resolved.value.servers.get('s') : undefined;
  if (config === undefined) throw new Error('the configuration of this test is not valid');
  return config;
}

/** Accepts every notification and does nothing. */
export const quietListener: UpstreamListener = Object.freeze({
  onState: () => {},
  onDefinitions: () => {},
  onResourceUpdated: () => {},
  onLog: () => {},
  onLogMessage: () => {},
  onServerRequest: async () => ({}),
});
