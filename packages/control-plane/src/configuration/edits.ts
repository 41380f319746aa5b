// The effect of each change of the configuration on the file. Fields that the change does not name stay, also unknown
// ones.
import {
  type AliasKind,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mask,
  maskSecrets,
  type PolicyRequest,
  type ProfileRequest,
  serverFields,
  type UpdateAliasRequest,
  unmask,
  webhookFields,
} from '@portico/contracts';
import { type ConfigEdit, InvalidConfig } from './config-source.js';

/** Replaces the definition: its known fields that are not given are removed. @throws InvalidConfig */
export function upsertServerEdits(file: JsonObject, name: string, given: JsonObject): ConfigEdit[] {
  const stored = objectAt(file, 'mcpServers', name);
  const definition = restored(given, stored, maskSecrets(stored), ['server']);
  return replaceKnown(['mcpServers', name], stored, definition, serverFields);
}

/** Puts an object in the place of another, of which the fields that Portico does not know stay. */
function replaceKnown(
  path: readonly string[],
  stored: JsonObject,
  given: JsonObject,
  known: readonly string[],
): ConfigEdit[] {
  if (Object.keys(stored).length === 0) return [{ path, value: given }];
  const dropped = known.filter((field) => Object.hasOwn(stored, field) && !Object.hasOwn(given, field));
  return [
    ...dropped.map((field) => ({ path: [...path, field], value: undefined })),
    ...Object.entries(given).flatMap(([field, value]) =>
      replaceEdits([...path, field], ownField(stored, field), value),
    ),
  ];
}

/** Profiles that named it lose it. */
export function deleteServerEdits(file: JsonObject, name: string): ConfigEdit[] {
  const profiles = Object.entries(objectAt(file, 'profiles')).flatMap(([id, profile]): ConfigEdit[] => {
    const servers = isJsonObject(profile) && Array.isArray(profile.servers) ? profile.servers : [];
    if (!servers.includes(name)) return [];
    return [{ path: ['profiles', id, 'servers'], value: servers.filter((server) => server !== name) }];
  });
  return [{ path: ['mcpServers', name], value: undefined }, ...profiles];
}

export const aliasFields: Readonly<Record<AliasKind, string>> = {
  tool: 'capabilityAliases',
  resource: 'resourceAliases',
  prompt: 'promptAliases',
};

/** An alias keeps what is stored beside its target and not given. */
export function aliasEdits(file: JsonObject, { kind, alias, target, ...given }: UpdateAliasRequest): ConfigEdit[] {
  const path = [aliasFields[kind], alias];
  if (target == null) return [{ path, value: undefined }];
  const stored = objectAt(file, ...path);
  const beside = Object.fromEntries(
    Object.entries({ ...stored, ...given, target }).filter(([, value]) => value != null),
  );
  return [{ path, value: Object.keys(beside).length === 1 ? target : beside }];
}

const ruleLists = { allow: 'allow', deny: 'deny', require_approval: 'requireApproval' } as const;

const policyFields = {
  ...ruleLists,
  redact_keys: 'redactKeys',
  approval_timeout_secs: 'approvalTimeoutSecs',
} as const;

/** Given fields are replaced, absent ones stay, null restores the default. @throws InvalidConfig */
export function policyEdits(file: JsonObject, { webhook, shadow, rules, ...given }: PolicyRequest): ConfigEdit[] {
  const ofFields = Object.entries(policyFields).flatMap(([field, name]): ConfigEdit[] => {
    const value = given[field as keyof typeof given]; // the keys of policyFields are those of the lists
    return value === undefined ? [] : [{ path: ['policy', name], value: value ?? undefined }];
  });
  const edits = [...ofFields, ...ruleEdits(rules), ...shadowEdits(shadow)];
  if (webhook === undefined) return edits;
  const path = ['policy', 'webhook'];
  if (webhook === null) return [...edits, { path, value: undefined }];
  const { url, secret, secret_env: secretEnv, auth_header: authHeader, headers } = webhook;
  const fields = Object.fromEntries(
    Object.entries({ url, secret, secretEnv, authHeader, headers }).filter(([, value]) => value != null),
  ) as JsonObject; // its values are texts and an object of texts
  const policy = objectAt(file, 'policy');
  const shown = objectAt(maskSecrets(policy), 'webhook');
  const stored = objectAt(policy, 'webhook');
  return [...edits, ...replaceKnown(path, stored, restored(fields, stored, shown, ['webhook']), webhookFields)];
}

/** The list as a whole, as the file spells it. */
function ruleEdits(rules: PolicyRequest['rules']): ConfigEdit[] {
  if (rules === undefined) return [];
  const value = rules?.map(({ effect, ...rule }) => ({
    ...rule,
    effect: effect === 'deny' ? effect : 'requireApproval',
  }));
  return [{ path: ['policy', 'rules'], value: value as JsonValue | undefined }]; // its members are JSON; undefined ones are left out
}

/** Each list by itself, as those of the policy. */
function shadowEdits(shadow: PolicyRequest['shadow']): ConfigEdit[] {
  const path = ['policy', 'shadow'];
  if (shadow === undefined) return [];
  if (shadow === null) return [{ path, value: undefined }];
  return Object.entries(ruleLists).flatMap(([field, name]): ConfigEdit[] => {
    const value = shadow[field as keyof typeof ruleLists]; // these are its keys
    return value === undefined ? [] : [{ path: [...path, name], value: value ?? undefined }];
  });
}

export function profileEdits({ name, servers, description }: ProfileRequest): ConfigEdit[] {
  const path = ['profiles', name];
  return [
    { path: [...path, 'servers'], value: servers },
    ...(description === undefined ? [] : [{ path: [...path, 'description'], value: description ?? undefined }]),
  ];
}

/** Changes only what differs, so that comments beside the rest stay. */
function replaceEdits(
  path: readonly string[],
  stored: JsonValue | undefined,
  value: JsonValue | undefined,
): ConfigEdit[] {
  if (!isJsonObject(stored) || !isJsonObject(value)) return isSame(stored, value) ? [] : [{ path, value }];
  const dropped = Object.keys(stored).filter((key) => !Object.hasOwn(value, key));
  return [
    ...dropped.map((key) => ({ path: [...path, key], value: undefined })),
    ...Object.entries(value).flatMap(([key, each]) => replaceEdits([...path, key], ownField(stored, key), each)),
  ];
}

function ownField(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** @throws InvalidConfig for a mask without a stored value */
function restored(given: JsonObject, stored: JsonObject, shown: JsonObject, path: readonly string[]): JsonObject {
  if (!JSON.stringify(given).includes(mask)) return given;
  const result = unmask(given, stored, shown, path);
  if (!result.ok) throw new InvalidConfig(result.issues);
  return result.value as JsonObject; // an object stays one
}

/** The object at a path; empty if there is none. */
export function objectAt(file: JsonObject, ...path: readonly string[]): JsonObject {
  const at = fieldAt(file, path);
  return isJsonObject(at) ? at : {};
}

/** The value at a path. */
export function fieldAt(file: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = file;
  for (const name of path) at = isJsonObject(at) ? ownField(at, name) : undefined;
  return at;
}
