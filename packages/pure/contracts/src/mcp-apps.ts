// MCP Apps (SEP-1865): tools that name an HTML page of their server, by which a host shows their results.
import { keepExact } from './exact-numbers.js';
import { isJsonObject, type JsonObject } from './json.js';

/** The extension that hosts declare. */
export const uiExtension = 'io.modelcontextprotocol/ui';

/** MIME types of that extension: the type that Portico passes on to every host. */
export const uiMimeTypes: readonly string[] = ['text/html;profile=mcp-app'];

/** The capability that says so. */
export const uiCapability = { [uiExtension]: { mimeTypes: [...uiMimeTypes] } };

const scheme = 'ui://';
/** A key in `_meta` of a tool; the specification has deprecated it for `ui.resourceUri`, and servers write both. */
const flatKey = 'ui/resourceUri';

/** Whether a URI names a UI resource of MCP Apps (`ui://`). */
export function isUiUri(uri: string): boolean {
  return uri.startsWith(scheme);
}

/** `ui://<server>/<rest>` for `ui://<rest>`. Depends on nothing but the two; `splitUiUri` gives them back. */
export function qualifyUiUri(server: string, uri: string): string {
  return `${scheme}${server}/${uri.slice(scheme.length)}`;
}

/** The arguments of `qualifyUiUri`, if it may have made the text. */
export function splitUiUri(text: string): { readonly server: string; readonly uri: string } | undefined {
  const [, server, rest] = /^ui:\/\/([A-Za-z0-9_-]+)\/(.*)$/s.exec(text) ?? [];
  return server === undefined || rest === undefined ? undefined : { server, uri: `${scheme}${rest}` };
}

/** The `ui://` URIs that the `_meta` of a tool or a result names, by either of the two keys. */
export function uiUrisIn(meta: JsonObject | undefined): readonly string[] {
  if (meta === undefined) return [];
  const named = [isJsonObject(meta.ui) ? meta.ui.resourceUri : undefined, meta[flatKey]];
  return named.filter((uri) => typeof uri === 'string' && isUiUri(uri)) as string[]; // looked at just now
}

/** A `_meta` with those URIs under the name of their server; the same object where it names none. */
export function qualifyUiMeta(meta: JsonObject, server: string): JsonObject {
  if (uiUrisIn(meta).length === 0) return meta;
  const { ui, [flatKey]: flat } = meta;
  return {
    ...meta,
    ...(isJsonObject(ui) && isUi(ui.resourceUri)
      ? { ui: { ...ui, resourceUri: qualifyUiUri(server, ui.resourceUri) } }
      : {}),
    ...(isUi(flat) ? { [flatKey]: qualifyUiUri(server, flat) } : {}),
  };
}

/** The same list where no item is changed. */
export function mapJsonList<T extends object>(list: T, change: (item: JsonObject) => JsonObject): T {
  if (!Array.isArray(list)) return list;
  const changed: unknown[] = list.map((item) => (isJsonObject(item) ? change(item) : item));
  return changed.every((item, index) => item === list[index]) ? list : (keepExact(list, changed) as T);
}

/** Whether a tool is for the page of its server only, and not for a model (`visibility`, by default both). */
export function isAppOnly(meta: JsonObject | undefined): boolean {
  const visibility = visibilityOf(meta);
  return visibility !== undefined && !visibility.includes('model');
}

/** Whether the page of its server may call a tool. */
export function isForApps(meta: JsonObject | undefined): boolean {
  return visibilityOf(meta)?.includes('app') ?? true;
}

function visibilityOf(meta: JsonObject | undefined): readonly unknown[] | undefined {
  const { visibility } = isJsonObject(meta?.ui) ? meta.ui : {};
  return Array.isArray(visibility) ? visibility : undefined;
}

const isUi = (value: unknown): value is string => typeof value === 'string' && isUiUri(value);
