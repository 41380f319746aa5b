// The extensions that a call declares to a 2026-07-28 server: those that the caller, Portico and the server all
// support. With an extension that only two of the three support, the answer could not be used by the third.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tasksExtension,
  uiExtension,
  uiMimeTypes,
} from '@portico/contracts';

/**
 * Servers do not declare MCP Apps (SEP-1865 makes only hosts do so), so it is declared to a server that is silent;
 * where a server lists mime types, those count. Tasks are only declared to servers that declare them.
 */
export function sharedExtensions(ofCaller: JsonValue, ofServer: JsonValue | undefined): JsonObject {
  if (!isJsonObject(ofCaller)) return {};
  const { [uiExtension]: ui, [tasksExtension]: tasks } = ofCaller;
  const declared = isJsonObject(ofServer) ? ofServer : {};
  const pages = isJsonObject(ui) ? mimeTypesIn(ui, declared[uiExtension]) : [];
  return {
    ...(pages.length === 0 ? {} : { [uiExtension]: { mimeTypes: pages } }),
    ...(tasks === undefined || declared[tasksExtension] === undefined ? {} : { [tasksExtension]: tasks }),
  };
}

function mimeTypesIn({ mimeTypes }: JsonObject, ofServer: JsonValue | undefined): string[] {
  const lists = [mimeTypes, isJsonObject(ofServer) ? (ofServer.mimeTypes ?? mimeTypes) : mimeTypes];
  return uiMimeTypes.filter((type) => lists.every((list) => Array.isArray(list) && list.includes(type)));
}
