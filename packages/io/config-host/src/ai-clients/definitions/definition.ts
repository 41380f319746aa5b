// A server definition of an AI client as an entry of Portico's `mcpServers`, or the reason why it cannot be one.
import { type JsonObject, resolveConfig } from '@portico/contracts';

export type Definition =
  | { readonly kind: 'usable'; readonly definition: JsonObject }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Reads one definition in a client's own shape. Never throws. */
export type ReadDefinition = (raw: unknown) => Definition;

export function unusable(reason: string): Definition {
  return { kind: 'unusable', reason };
}

/** Usable where Portico's own configuration would take it. Fields that are undefined are left out. */
export function checkedDefinition(fields: Readonly<Record<string, unknown>>): Definition {
  const definition = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const resolved = resolveConfig({ mcpServers: { server: definition } });
  if (!resolved.ok) return unusable(resolved.issues.map(toReason).join('; '));
  const { url } = definition;
  if (typeof url === 'string' && !URL.canParse(url)) return unusable('url: is not a valid address');
  return { kind: 'usable', definition: definition as JsonObject }; // the check took every value of it
}

function toReason({ path, message }: { readonly path: string; readonly message: string }): string {
  const field = path.replace(/^mcpServers\.server\.?/, '');
  return field === '' ? message : `${field}: ${message}`;
}
