// A small, real authorization server. Tests change its answers while it runs, and can read the requests it received.
import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { json, listen, readBody } from './http-kit.js';

export interface TokenRequest {
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

export interface AuthServer {
  readonly issuer: string;
  /** Over the defaults; a field that is undefined is left out. */
  metadata: Readonly<Record<string, unknown>>;
  /** Where the metadata are. */
  metadataPath: string;
  /** Over what the token endpoint grants. */
  grant: Readonly<Record<string, unknown>>;
  /** Parameters added to, or with null taken off, what the login leads back with. */
  callback: Readonly<Record<string, string | null>>;
  /** The token endpoint answers with this error instead. */
  tokenError: { readonly status: number; readonly body: string } | null;
  /** Called when tokens are asked for, before they are granted. */
  onToken: () => void;
  readonly registrations: Readonly<Record<string, unknown>>[];
  readonly authorizations: Readonly<Record<string, string>>[];
  readonly tokenRequests: TokenRequest[];
  /** Paths of GET requests, in order. */
  readonly paths: string[];
  /** Access tokens that are good. */
  readonly good: Set<string>;
}

export async function startAuthServer(): Promise<AuthServer> {
  const codes = new Map<string, { readonly challenge: string; readonly scope: string }>();
  const server: AuthServer = {
    issuer: '',
    metadata: {},
    metadataPath: '/.well-known/oauth-authorization-server',
    grant: {},
    callback: {},
    tokenError: null,
    onToken: () => {},
    registrations: [],
    authorizations: [],
    tokenRequests: [],
    paths: [],
    good: new Set(),
  };
  const refreshTokens = new Set<string>();

  const grant = (scope: string) => {
    const [accessToken, refreshToken] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    server.good.add(accessToken);
    refreshTokens.add(refreshToken);
    const tokens = { access_token: accessToken, refresh_token: refreshToken, token_type: 'Bearer', expires_in: 3600 };
    return { ...tokens, ...(scope === '' ? {} : { scope }), ...server.grant };
  };

  const token = (form: Readonly<Record<string, string>>): [number, unknown] => {
    if (form.grant_type === 'refresh_token') {
      if (!refreshTokens.delete(form.refresh_token ?? '')) return [400, { error: 'invalid_grant' }];
      return [200, grant('')];
    }
    const code = codes.get(form.code ?? '');
    codes.delete(form.code ?? '');
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (code === undefined || code.challenge !== challenge) return [400, { error: 'invalid_grant' }];
    return [200, grant(code.scope)];
  };

  const authorize = (response: ServerResponse, asked: Readonly<Record<string, string>>) => {
    server.authorizations.push(asked);
    const code = randomUUID();
    codes.set(code, { challenge: asked.code_challenge ?? '', scope: asked.scope ?? '' });
    const back = new URL(asked.redirect_uri ?? '');
    const params = { code, state: asked.state ?? '', iss: server.issuer, ...server.callback };
    for (const [name, value] of Object.entries(params)) if (value !== null) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
  };

  const issuer = await listen(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    const asked = Object.fromEntries(url.searchParams);
    if (request.method === 'GET') server.paths.push(url.pathname);
    if (url.pathname === '/authorize') return authorize(response, asked);
    const body = await readBody(request);
    if (url.pathname === '/register') {
      const metadata = JSON.parse(body);
      server.registrations.push(metadata);
      return json(response, 201, { ...metadata, client_id: `client-${server.registrations.length}` });
    }
    if (url.pathname === '/token') {
      const form = Object.fromEntries(new URLSearchParams(body));
      server.tokenRequests.push({ form, authorization: request.headers.authorization });
      server.onToken();
      if (server.tokenError !== null)
        return void response.writeHead(server.tokenError.status).end(server.tokenError.body);
      return json(response, ...token(form));
    }
    if (url.pathname !== server.metadataPath) return json(response, 404, {});
    json(response, 200, { ...defaultMetadata(issuer), ...server.metadata });
  });
  return Object.assign(server, { issuer });
}

const defaultMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
});
