// How clients find out where to get a token for this listener (RFC 9728; MCP, basic/authorization).
import type { JwtRules } from '@portico/contracts';

const wellKnown = '/.well-known/oauth-protected-resource';

export interface ProtectedResource {
  /** Paths under which it is served: the root, and that of the endpoint behind it. */
  readonly isMetadataPath: (path: string) => boolean;
  /** Where its description is. */
  readonly metadataUrl: string;
  /** The description. */
  readonly metadata: () => Response;
}

/**
 * @param jwt how tokens are checked
 * @param host the Host of the request; it counts where no audience is an address
 */
export function protectedResource(jwt: JwtRules, host: string): ProtectedResource {
  const resource = resourceOf(jwt, host);
  const { origin, pathname } = resource;
  const path = pathname === '/' ? '' : pathname;
  return {
    isMetadataPath: (asked) => [wellKnown, `${wellKnown}/mcp`, `${wellKnown}${path}`].includes(asked),
    metadataUrl: `${origin}${wellKnown}${path}`,
    metadata: () =>
      Response.json({
        resource: path === '' ? origin : resource.href,
        authorization_servers: [jwt.issuer],
        bearer_methods_supported: ['header'],
        resource_name: 'Portico',
      }),
  };
}

/** Behind a proxy the address that clients know is not ours: it is the audience that their tokens are for. */
function resourceOf({ audiences }: JwtRules, host: string): URL {
  const own = audiences.find((audience) => /^https?:\/\//i.test(audience) && URL.canParse(audience));
  return new URL(own ?? `http://${host}/mcp`);
}
