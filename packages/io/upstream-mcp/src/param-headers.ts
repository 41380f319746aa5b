// Tool arguments that a 2026-07-28 HTTP server wants repeated as `Mcp-Param-*` headers, as its input schema says with
// `x-mcp-header` (streamable HTTP, "schema extension").
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { encodeHeaderValue } from './mcp-headers.js';

export interface HeaderParam {
  readonly path: readonly string[];
  readonly header: string;
}

export type HeaderParams =
  | { readonly ok: true; readonly params: readonly HeaderParam[] }
  /** The tool must not be offered. */
  | { readonly ok: false; readonly reason: string };

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const key = 'x-mcp-header';

/** Finds the declarations of one input schema and checks what the specification asks of them. */
export function findHeaderParams(inputSchema: JsonObject): HeaderParams {
  const params: HeaderParam[] = [];
  const seen = new Set<string>();

  /** Walks every part of the schema; only a chain of `properties` may lead to a declaration. */
  const visit = (node: unknown, path: readonly string[], isReachable: boolean): string | undefined => {
    if (Array.isArray(node)) return firstFault(node, (child) => visit(child, path, false));
    if (!isJsonObject(node)) return undefined;
    if (key in node) {
      const header = node[key];
      const place = path.join('.') || 'the schema itself';
      if (!isReachable || path.length === 0) return `${place}: ${key} is only allowed on plain properties`;
      if (typeof header !== 'string' || !token.test(header)) return `${place}: ${key} is not a header name`;
      if (node.type !== 'string' && node.type !== 'integer' && node.type !== 'boolean') {
        return `${place}: ${key} needs type string, integer or boolean`;
      }
      if (seen.has(header.toLowerCase())) return `${place}: ${key} "${header}" is used twice`;
      seen.add(header.toLowerCase());
      params.push({ path, header: `mcp-param-${header}` });
    }
    return firstFault(Object.entries(node), ([name, child]) => {
      if (name === 'properties' && isJsonObject(child)) {
        return firstFault(Object.entries(child), ([property, schema]) =>
          visit(schema, [...path, property], isReachable),
        );
      }
      return dataKeywords.has(name) ? undefined : visit(child, path, false);
    });
  };

  const reason = visit(inputSchema, [], true);
  return reason === undefined ? { ok: true, params } : { ok: false, reason };
}

/** Keywords whose value is data and not a schema. */
const dataKeywords = new Set(['enum', 'const', 'default', 'examples', 'required', key]);

/** The headers of one call. Absent, null and non-primitive arguments have none. */
export function paramHeaders(params: readonly HeaderParam[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of params) {
    let value: unknown = args;
    for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    const isExact = typeof value === 'number' ? Number.isSafeInteger(value) : true;
    if ((typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') && isExact) {
      headers[header] = encodeHeaderValue(String(value));
    }
  }
  return headers;
}

function firstFault<T>(items: readonly T[], check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = check(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
