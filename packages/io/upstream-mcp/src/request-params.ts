// The params of what we send: 2026-07-28 has us say with every message who we are and what our caller can do.
import { allClientCapabilities, isJsonObject, type JsonObject, uiCapability } from '@portico/contracts';
import { type ServerRequestHandler, withinDeclared } from '@portico/upstream-pool';
import { sharedExtensions } from './extensions.js';
import { type ClientInfo, metaKeys, modernRevision, type RpcId } from './wire.js';

export type Era = 'modern' | 'legacy';

/** Identity that a 2026-07-28 client sends in every message. */
export function envelope(clientInfo: ClientInfo): JsonObject {
  return {
    [metaKeys.protocolVersion]: modernRevision,
    [metaKeys.clientInfo]: { name: clientInfo.name, version: clientInfo.version },
    [metaKeys.clientCapabilities]: { extensions: uiCapability },
  };
}

/**
 * For a server of 2026-07-28. @param made the request and its caller: the questions that the caller supports, and the
 * notifications it wants
 */
export type ToParams = (
  params: JsonObject,
  made?: { readonly id: RpcId; readonly handler: ServerRequestHandler | undefined },
) => JsonObject;

/**
 * @param declared capabilities of the caller that are declared to the server
 * @param serverCapabilities as the server declares them, once it has
 */
export function createParams(
  clientInfo: ClientInfo,
  declared = allClientCapabilities,
  serverCapabilities: JsonObject = {},
): ToParams {
  const modernMeta = envelope(clientInfo);
  const toServer = (capabilities: JsonObject) => {
    const announced = declared === allClientCapabilities ? capabilities : withinDeclared(capabilities, declared);
    if (announced.extensions === undefined) return announced;
    return { ...announced, extensions: sharedExtensions(announced.extensions, serverCapabilities.extensions) };
  };
  return (params, made) => {
    const own = made?.handler && metaOf(made.id, made.handler, toServer);
    const given = isJsonObject(params._meta) ? params._meta : {};
    return { ...params, _meta: { ...modernMeta, ...given, ...own } };
  };
}

function metaOf(
  id: RpcId,
  { capabilities, logLevel, progress }: ServerRequestHandler,
  toServer: (capabilities: JsonObject) => JsonObject,
): JsonObject {
  return {
    ...(progress === undefined ? {} : { progressToken: id }),
    [metaKeys.clientCapabilities]: toServer(capabilities),
    ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
  };
}
