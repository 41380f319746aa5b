// Turns the user's choices into the text of a first configuration. Pure functions.
import { type Issue, type JsonObject, maskSecrets, resolveConfig } from '@portico/contracts';
import type { ImportedServer } from '@portico/host';

export interface Choices {
  readonly servers: readonly ImportedServer[];
  readonly port: number;
  /** Whether a person is asked before tools run whose names say that they destroy. */
  readonly asksBeforeDestroying: boolean;
  /** Whether values of keys such as `password` are redacted in logs. */
  readonly redacts: boolean;
  /** Whether it is reported when a server changes its definitions (mode `warn` of the lock). */
  readonly locks: boolean;
}

export interface PlannedFile {
  readonly text: string;
  /** The same with every secret masked. */
  readonly shown: string;
  readonly holdsSecrets: boolean;
  /** Whether a lock file is to be written next. */
  readonly locks: boolean;
  /** Why a daemon would not take it. */
  readonly issues: readonly Issue[];
}

const destroying = ['*delete*', '*remove*', '*drop*', '*destroy*', '*truncate*', '*purge*'];

export function planFile(choices: Choices): PlannedFile {
  const config = toConfig(choices);
  const text = toText(config);
  const shown = toText(maskSecrets(config));
  const resolved = resolveConfig(config);
  return {
    text,
    shown,
    holdsSecrets: shown !== text,
    locks: choices.locks,
    issues: resolved.ok ? [] : resolved.issues,
  };
}

/** Keys are redacted by a list that is built in unless the file says otherwise. */
function toConfig({ servers, port, asksBeforeDestroying, redacts, locks }: Choices): JsonObject {
  const policy = {
    ...(asksBeforeDestroying ? { requireApproval: destroying } : {}),
    ...(redacts ? {} : { redactKeys: [] }),
  };
  return {
    port,
    access: { operatorToken: true },
    audit: { filePath: '.portico/audit.jsonl' }, // beside the configuration: relative to it
    mcpServers: Object.fromEntries(servers.map(({ server_id, definition }) => [server_id, definition])),
    ...(Object.keys(policy).length === 0 ? {} : { policy }),
    ...(locks ? { lock: { mode: 'warn' } } : {}),
  };
}

/** A server as a line for a list: what it runs or reaches, without secrets. */
export function describeServer({ definition }: ImportedServer): string {
  const { command, args, url, env } = maskSecrets(definition);
  const words = [command, ...(Array.isArray(args) ? args : []), url].filter((word) => typeof word === 'string');
  const names = typeof env === 'object' && env !== null ? Object.keys(env) : [];
  return `${words.join(' ')}${names.length === 0 ? '' : `  (sets ${names.join(', ')})`}`;
}

function toText(config: JsonObject): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}
