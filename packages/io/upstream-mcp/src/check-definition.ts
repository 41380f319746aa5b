// Checks a server's definition against the MCP schema, as strict clients do: they refuse a whole list for one invalid
// entry. Repairs what can be repaired without changing the meaning; otherwise gives the reason to leave the entry out.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

type OnMended = (field: string) => void;

const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** A scheme and something behind it; readers leave tabs and line ends of a URI out. */
const absoluteUri = /^[a-z][a-z0-9+.\t\r\n-]*:./i;

/**
 * The schema of the arguments of a tool: an object schema. Arguments are always an object, so that a `type` that is
 * absent, or that allows an object beside others, can say so.
 */
export function checkInputSchema(schema: JsonObject | undefined, onMended: OnMended): Checked<JsonObject> {
  const { type, ...others } = schema ?? {};
  if (type === 'object') return checkMembers('inputSchema', schema ?? {}, onMended);
  const allowsObject = type === undefined || type === null || (Array.isArray(type) && type.includes('object'));
  if (!allowsObject) return { ok: false, reason: `inputSchema.type is ${shown(type)}, not "object"` };
  if (schema !== undefined) onMended('inputSchema.type');
  return checkMembers('inputSchema', { type: 'object', ...others }, onMended);
}

/** `properties` and `required`, which clients check in a schema of a tool wherever they are. */
export function checkMembers(field: string, schema: JsonObject, onMended: OnMended): Checked<JsonObject> {
  const { properties, required, ...others } = schema;
  const isEmptyList = Array.isArray(properties) && properties.length === 0; // the empty map of PHP
  const mended: Record<string, JsonValue> = {};
  if (isJsonObject(properties)) {
    const checked = checkProperties(`${field}.properties`, properties, onMended);
    if (!checked.ok) return checked;
    mended.properties = checked.value;
  } else if (properties === null || isEmptyList) onMended(`${field}.properties`);
  else if (properties !== undefined) return { ok: false, reason: `${field}.properties is ${shown(properties)}` };

  if (required !== undefined && isStrings(required)) mended.required = required;
  else if (required === null || required === false) onMended(`${field}.required`);
  else if (required !== undefined) return { ok: false, reason: `${field}.required is ${shown(required)}` };
  const isSame = mended.properties === properties && mended.required === required;
  return { ok: true, value: isSame ? schema : { ...others, ...mended } };
}

/** `true` and `false` are schemas as well (JSON Schema 2020-12, 4.3.2), but clients of MCP want objects. */
function checkProperties(field: string, properties: JsonObject, onMended: OnMended): Checked<JsonObject> {
  const mended: [string, JsonValue][] = [];
  for (const [name, schema] of Object.entries(properties)) {
    if (isJsonObject(schema)) continue;
    if (schema !== null && typeof schema !== 'boolean') {
      return { ok: false, reason: `${field}.${name} is ${shown(schema)}, not a schema` };
    }
    onMended(`${field}.${name}`);
    mended.push([name, schema === false ? { not: {} } : {}]);
  }
  if (mended.length === 0) return { ok: true, value: properties };
  const replaced = new Map(mended);
  const entries = Object.entries(properties).map(([name, schema]) => [name, replaced.get(name) ?? schema]);
  return { ok: true, value: Object.fromEntries(entries) };
}

/** The field that an entry is known by. */
export function checkKey(field: 'name' | 'uri' | 'uriTemplate', key: string): string | undefined {
  if (key === '') return `its ${field} is empty`;
  return field === 'uri' && !absoluteUri.test(key) ? 'its uri is no absolute URI' : undefined;
}

export const isIcons = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) &&
  value.every((icon) => {
    if (!isJsonObject(icon) || typeof icon.src !== 'string') return false;
    const { mimeType, sizes, theme } = icon;
    if (mimeType !== undefined && typeof mimeType !== 'string') return false;
    return (sizes === undefined || isStrings(sizes)) && [undefined, 'light', 'dark'].includes(theme as undefined);
  });

const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** For each annotation of a resource, whether a value will do. */
export const resourceAnnotations: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  audience: (value) => Array.isArray(value) && value.every((item) => item === 'user' || item === 'assistant'),
  priority: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  lastModified: (value) => typeof value === 'string' && isInstant.test(value),
};

const taskSupports: readonly unknown[] = [undefined, 'required', 'optional', 'forbidden'];

export const isExecution = (value: unknown): value is JsonObject =>
  isJsonObject(value) && taskSupports.includes(value.taskSupport);

const shown = (value: JsonValue | undefined): string => (JSON.stringify(value) ?? 'absent').slice(0, 100);
