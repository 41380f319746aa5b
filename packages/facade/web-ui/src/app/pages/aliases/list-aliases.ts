// The aliases of the configuration, of all kinds in one list.
import { type AliasKind, isJsonObject, type JsonObject } from '@portico/contracts';

export interface Alias {
  readonly kind: AliasKind;
  readonly alias: string;
  readonly target: string;
  readonly summary: string;
  readonly description: string;
  readonly isPassthrough: boolean;
}

const fields = [
  ['tool', 'capabilityAliases'],
  ['resource', 'resourceAliases'],
  ['prompt', 'promptAliases'],
] as const;

export function listAliases(config: JsonObject): readonly Alias[] {
  return fields.flatMap(([kind, field]) => {
    const aliases = isJsonObject(config[field]) ? config[field] : {};
    return Object.entries(aliases).map(([alias, value]) => {
      const given = isJsonObject(value) ? value : { target: value };
      const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '');
      return {
        kind,
        alias,
        target: text('target'),
        summary: text('summary'),
        description: text('description'),
        isPassthrough: given.passthrough === true,
      };
    });
  });
}
