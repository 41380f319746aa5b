// The configuration under which Portico meets the mock server of a scenario.

export interface Scenario {
  /** Where the suite's mock server listens. */
  readonly url: string;
  readonly name: string;
  /** The revision that the mock speaks. */
  readonly revision: string;
  readonly context: {
    readonly client_id?: string;
    readonly client_secret?: string;
    readonly issuer?: string;
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  };
}

/** The id of the mock server in the configuration. */
export const serverId = 'mock';

/** The client metadata document that `auth/basic-cimd` expects to be named; it is not fetched. */
const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';

/** For an upstream whose authorization server is known, and reads client metadata documents. */
export function configWithDocument({ url, revision }: Scenario, authorizationServerUrl: string): object {
  const auth = { type: 'oauth2', clientId: 'unused', clientMetadataUrl, authorizationServerUrl };
  return { mcpServers: { [serverId]: { url, protocolVersion: revision, allowStateless: true, auth } } };
}

export function configFor({ url, name, revision, context }: Scenario): object {
  const server = { url, protocolVersion: revision, allowStateless: true, ...authFor(name, context) };
  return { mcpServers: { [serverId]: server } };
}

function authFor(name: string, { client_id, client_secret, issuer }: Scenario['context']): object {
  if (name === 'auth/pre-registration') {
    const client = { clientId: client_id, clientSecret: client_secret, authorizationServerUrl: issuer };
    return { auth: { type: 'oauth2', ...client } };
  }
  return {};
}
