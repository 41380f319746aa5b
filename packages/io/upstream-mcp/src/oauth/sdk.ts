// The OAuth parts of the MCP SDK. Loading it takes a tenth of a second and 25 MB, so it is loaded by the first server
// that asks for a login and by nothing else; everywhere else in this folder it is imported as types only.
import type * as Sdk from '@modelcontextprotocol/client';

export type OAuthSdk = typeof Sdk;

export const loadSdk = (): Promise<OAuthSdk> => import('@modelcontextprotocol/client');
