// Variables of the environment that a configuration names and that are not set.
import type { Config, Issue } from '@portico/contracts';
import { secretVariables } from './access.js';
import { noticeVariables } from './notices.js';

export function environmentIssues(config: Config, env: Readonly<Record<string, string | undefined>>): Issue[] {
  const { policy, approvals, sampling, search } = config;
  const unset = (path: string, name: string | null | undefined) =>
    name == null || env[name] ? [] : [{ path, message: `environment variable ${name} is not set` }];
  return [
    ...secretVariables(config).flatMap(({ path, name }) => unset(path, name)),
    ...unset('policy.webhook.secretEnv', policy.webhook?.secretEnv),
    ...approvals.notices.flatMap((receiver, index) =>
      noticeVariables(receiver).flatMap(([field, name]) => unset(`approvals.notices[${index}].${field}`, name)),
    ),
    ...unset('sampling.provider.apiKeyEnv', sampling.provider?.apiKeyEnv),
    ...unset(
      'search.embeddings.apiKeyEnv',
      search.embeddings?.provider === 'openai' ? search.embeddings.apiKeyEnv : null,
    ),
  ];
}
