// The environment of a process that is nothing but a host: copied at the start, and then without the secrets in it. The
// system's copy from the start of the process (/proc/<pid>/environ) cannot be changed.
import type { Config } from '@portico/contracts';

type Environment = Record<string, string | undefined>;

export interface OwnEnvironment {
  readonly env: Readonly<Environment>;
  /** As `HostOptions` has it. */
  readonly forgetsSecrets: boolean;
}

/** Names of variables have no case on Windows, which a copy would not keep. */
export function ownEnvironment(): OwnEnvironment {
  if (process.platform === 'win32') return { env: process.env, forgetsSecrets: false };
  return { env: { ...process.env }, forgetsSecrets: true };
}

/** Deletes the variables that the configuration takes secrets from. */
export function forgetSecrets(config: Config, env: Environment): void {
  for (const name of secretNames(config)) if (!neededByAll.test(name)) delete env[name];
}

/** No secrets under any name: the process and its children need them. `NODE_AUTH_TOKEN` is one. */
const neededByAll =
  /^(PATH|HOME|LANG|TMPDIR|USER|LOGNAME|SHELL|TERM|NODE_(ENV|OPTIONS|PATH|EXTRA_CA_CERTS|USE_ENV_PROXY)|LC_.*)$/;

/** Every variable that a configuration names: in a field `…Env`, as the source of a token, and in `env://NAME`. */
export function secretNames(config: Config): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown, field: string): void => {
    if (typeof value === 'string') {
      const [, byUri] = /^env:\/\/(.+)$/.exec(value) ?? [];
      if (byUri !== undefined) names.add(byUri);
      else if (/Env$/.test(field)) names.add(value);
      return;
    }
    if (value instanceof Map) for (const [key, each] of value) visit(each, String(key));
    else if (Array.isArray(value)) for (const each of value) visit(each, '');
    else if (typeof value === 'object' && value !== null) visitFields(value);
  };
  const visitFields = (value: object) => {
    const fields = Object.entries(value);
    const kind = 'kind' in value ? value.kind : undefined;
    for (const [field, each] of fields) {
      const isName = (kind === 'env' && field === 'name') || (kind === 'secret' && field === 'env');
      if (isName && typeof each === 'string') names.add(each);
      else visit(each, field);
    }
  };
  visitFields(config);
  return names;
}
