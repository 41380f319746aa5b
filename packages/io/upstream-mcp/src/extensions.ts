// What a server of 2026-07-28 is told with a call of the extensions of its caller: those that the caller, Portico and the
// server have. An extension that only two of the three know would be answered with what the third cannot take.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tasksExtension,
  uiExtension,
  uiMimeTypes,
} from '@portico/contracts';

/**
 * Servers do not declare MCP Apps (SEP-1865 has only hosts do that), so one that is silent is told of them; the mime types of
 * one that does count. Tasks are for servers that declare them.
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
