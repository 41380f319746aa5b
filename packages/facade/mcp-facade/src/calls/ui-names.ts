// Results on their way to a client: pages of MCP Apps are named in them as `resources/list` and `resources/read` know them.
import {
  isJsonObject,
  isUiUri,
  type JsonObject,
  type JsonValue,
  mapJsonList,
  parseExact,
  qualifyUiMeta,
  qualifyUiUri,
  writeExact,
} from '@portico/contracts';

export interface Written {
  readonly data: JsonValue;
  /** The unchanged text, or with its numbers as the server wrote them. */
  readonly dataText?: string | undefined;
}

/** Whether a result may name a page. Most results are text, and nothing is made for those. */
export function mayNamePages(data: JsonValue): data is JsonObject {
  if (!isJsonObject(data)) return false;
  const { content, contents, messages, _meta } = data;
  if (_meta !== undefined || contents !== undefined || messages !== undefined) return true;
  if (!Array.isArray(content)) return false;
  for (const block of content) {
    if (
      isJsonObject(block) &&
      (block._meta !== undefined || block.type === 'resource' || block.type === 'resource_link')
    )
      return true;
  }
  return false;
}

/** A result that is passed on as text. */
export function qualifyWritten({ data, dataText }: Written, server: string | undefined): Written {
  const named = server === undefined || !mayNamePages(data) ? data : qualifyUiNames(data, server);
  if (named === data || server === undefined) return { data, dataText };
  if (dataText === undefined) return { data: named };
  const exact = qualifyUiNames(parseExact(dataText) as JsonObject, server); // the text of `data`
  return { data: exact, dataText: writeExact(exact) };
}

/** The result of a tool, a resource or a prompt. The same object where it names no page. */
export function qualifyUiNames(result: JsonObject, server: string): JsonObject {
  const { content, contents, messages } = result;
  const block = (item: JsonObject) => changeBlock(item, server);
  const message = (item: JsonObject) => changed(item, { content: ofContent(item.content, block) });
  return changed(withMeta(result, server), {
    content: ofContent(content, block),
    contents: ofContent(contents, (item) => withUri(item, server)),
    messages: ofContent(messages, message),
  });
}

/** A list of blocks, or a single one. */
function ofContent(
  content: JsonObject[string] | undefined,
  change: (item: JsonObject) => JsonObject,
): JsonObject[string] | undefined {
  if (Array.isArray(content)) return mapJsonList(content, change);
  return isJsonObject(content) ? change(content) : content;
}

function changeBlock(block: JsonObject, server: string): JsonObject {
  switch (block.type) {
    case 'resource':
      return isJsonObject(block.resource)
        ? changed(withMeta(block, server), { resource: withUri(block.resource, server) })
        : block;
    case 'resource_link':
      return withUri(block, server);
    default:
      return withMeta(block, server);
  }
}

function withUri(item: JsonObject, server: string): JsonObject {
  const { uri } = item;
  const named = typeof uri === 'string' && isUiUri(uri) ? qualifyUiUri(server, uri) : uri;
  return changed(withMeta(item, server), { uri: named });
}

function withMeta(item: JsonObject, server: string): JsonObject {
  const { _meta } = item;
  return isJsonObject(_meta) ? changed(item, { _meta: qualifyUiMeta(_meta, server) }) : item;
}

/** With other members in place of those that are there. The same object where they are the same. */
function changed(item: JsonObject, members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  const others = Object.entries(members).filter(([name, value]) => item[name] !== value);
  return others.length === 0 ? item : ({ ...item, ...Object.fromEntries(others) } as JsonObject); // JSON, as its members are
}
