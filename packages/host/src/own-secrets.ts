// The secrets of the service itself, from the configuration: they are masked as well. Secrets of servers are added when
// these are connected.
import type { Config, SiemTarget } from '@portico/contracts';
import type { KnownSecrets } from '@portico/upstream-mcp';

import { noticeVariables } from './notices.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns the configuration */
export function learnOwnSecrets(known: Pick<KnownSecrets, 'learn'>, config: Config, env: Environment): Config {
  const { authToken, rbac, policy, approvals, audit, sampling, search } = config;
  const ofEmbedder = search.embeddings?.provider === 'openai' ? search.embeddings : undefined;
  const inEnvironment = (name: string | null | undefined) => (name == null ? undefined : env[name]);
  const ofTokens = (rbac?.tokens ?? []).map(({ source }) => {
    if (source.kind === 'env') return inEnvironment(source.name);
    return source.kind === 'value' ? source.token : undefined;
  });
  const values = [
    authToken,
    ...ofTokens,
    rbac?.jwt?.keys.kind === 'secret' ? inEnvironment(rbac.jwt.keys.env) : undefined,
    policy.webhook?.secret,
    inEnvironment(policy.webhook?.secretEnv),
    ...credentialOf(policy.webhook?.authHeader),
    ...approvals.notices.flatMap(noticeVariables).flatMap(([, name]) => addressSecrets(inEnvironment(name))),
    inEnvironment(sampling.provider?.apiKeyEnv),
    inEnvironment(ofEmbedder?.apiKeyEnv),
    ...[policy.webhook?.url, sampling.provider?.url, ofEmbedder?.url, ...audit.siemTargets.map(({ url }) => url)].map(
      passwordIn,
    ),
    ...audit.siemTargets.flatMap(ofTarget),
  ];
  known.learn(
    'configuration',
    values.filter((value) => typeof value === 'string'),
  );
  return config;
}

/** A value, or of an address what follows its origin, which is the secret of a Slack webhook. */
function addressSecrets(value: string | undefined): readonly (string | undefined)[] {
  if (value === undefined || !/^https?:/i.test(value) || !URL.canParse(value)) return [value];
  const { pathname, search } = new URL(value);
  return [pathname.slice(1) + search, passwordIn(value)].filter((part) => part !== '');
}

function ofTarget(target: SiemTarget): readonly (string | undefined)[] {
  return target.kind === 'splunk_hec' ? [target.token] : credentialOf(target.authHeader);
}

/** The password of an address that names its user. */
function passwordIn(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { password } = new URL(url);
  try {
    return decodeURIComponent(password);
  } catch {
    return password; // it holds a `%` that encodes nothing
  }
}

/** The header, and what follows its scheme. */
function credentialOf(header: string | null | undefined): readonly (string | undefined)[] {
  return header == null ? [] : [header, header.split(' ').slice(1).join(' ')];
}
