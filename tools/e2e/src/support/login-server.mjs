// A real authorization server (oidc-provider) and a gate before an MCP server that wants its tokens. Opening the login
// page logs the user in and grants everything: the dialog is not under test.
//
//   node login-server.mjs TARGET     TARGET is the origin of the MCP server; prints `listening on PORT PORT`,
//                                    the authorization server's and the gate's
//
// POST /control at the gate changes how both behave, and answers with what they saw:
//   {refuseOld: true}      access tokens that exist by now are refused from now on
//   {wants: {TOOL: SCOPE}} calls of this tool need this scope
//   {noPkce: true}         the metadata do not speak of PKCE
import { createServer, request as httpRequest } from 'node:http';
import Provider from 'oidc-provider';

const target = process.argv[2];
const control = { refused: new Set(), wants: {}, noPkce: false, known: new Set(), tokenRequests: [], logins: [] };

const [auth, gate] = [createServer(), createServer()];
const [authPort, gatePort] = [await listen(auth), await listen(gate)];
const issuer = `http://127.0.0.1:${authPort}`;
const resource = `http://127.0.0.1:${gatePort}/mcp`;
const scopes = ['mcp:read', 'mcp:write'];

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'portico-e2e',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
  cookies: { keys: ['the key of the test'] },
  scopes: ['openid', 'offline_access', ...scopes],
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: scopes.join(' '), accessTokenFormat: 'opaque', accessTokenTTL: 600 }),
      useGrantedResource: () => true,
    },
  },
});
provider.on('grant.success', ({ oidc }) => control.tokenRequests.push(oidc.params.grant_type));
provider.on('grant.error', ({ oidc }, error) =>
  control.tokenRequests.push(`${oidc.params?.grant_type}: ${error.error}`),
);
provider.on('access_token.saved', ({ jti }) => control.known.add(jti));

const authorize = provider.callback();
auth.on('request', async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, issuer);
  if (pathname === '/auth') control.logins.push(Object.fromEntries(searchParams));
  if (pathname.startsWith('/interaction/')) return interact(request, response);
  if (pathname.startsWith('/.well-known/') && control.noPkce) return withoutPkce(response);
  authorize(request, response);
});

async function interact(request, response) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'someone' } });
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(String(params.scope));
  grant.addResourceScope(resource, String(params.scope));
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

function withoutPkce(response) {
  const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
  const metadata = { issuer, ...endpoints, response_types_supported: ['code'], registration_endpoint: `${issuer}/reg` };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
}

gate.on('request', async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  if (request.url === '/control') return answerControl(response, JSON.parse(body));
  if (request.url === '/.well-known/oauth-protected-resource/mcp') {
    const metadata = { resource, authorization_servers: [issuer], scopes_supported: ['mcp:read'] };
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  }
  if (!request.url.startsWith('/mcp')) return void response.writeHead(404).end();
  const token = await provider.AccessToken.find((request.headers.authorization ?? '').replace('Bearer ', ''));
  if (token === undefined || token.aud !== resource || control.refused.has(token.jti)) {
    return challenge(response, 401, 'invalid_token', 'mcp:read');
  }
  const message = body === '' ? {} : JSON.parse(body);
  const wanted = message.method === 'tools/call' ? control.wants[message.params.name] : undefined;
  if (wanted !== undefined && !token.scope.split(' ').includes(wanted)) {
    return challenge(response, 403, 'insufficient_scope', wanted);
  }
  forward(request, response, body);
});
process.stdout.write(`listening on ${authPort} ${gatePort}\n`);

function answerControl(response, { refuseOld, ...rest }) {
  if (refuseOld) for (const id of control.known) control.refused.add(id);
  Object.assign(control, rest);
  const { tokenRequests, logins } = control;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ tokenRequests, logins }));
}

function challenge(response, status, error, scope) {
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', resource).href;
  const header = `Bearer error="${error}", scope="${scope}", resource_metadata="${metadata}"`;
  response.writeHead(status, { 'www-authenticate': header }).end();
}

function forward({ method, headers, url }, response, body) {
  const onward = httpRequest(new URL(url, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy()).end(body);
  response.on('close', () => onward.destroy());
}

/** The port that it got. It is not published before the handlers are there. */
function listen(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}
