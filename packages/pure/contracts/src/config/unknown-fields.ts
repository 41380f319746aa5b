// Unknown fields of a configuration file. In the blocks that protect they are refused, since a misspelt rule protects
// nothing; elsewhere they are kept without effect and named.
import { type Issue, joinPath } from '../issues.js';
import { isJsonObject, type JsonObject } from '../json.js';
import { nearestOf } from '../nearest.js';
import { accessSchema } from './access-schema.js';
import { approvalsSchema, noticeReceiverFields } from './approvals-schema.js';
import { auditSchema, siemSchema } from './audit-schema.js';
import { budgetSchema, budgetScopeSchema } from './budgets-schema.js';
import { configFileSchema } from './file-schema.js';
import { grantsSchema } from './grants-schema.js';
import { inspectSchema } from './inspect-schema.js';
import { limitsSchema } from './limits-schema.js';
import { lockSchema, serverLockSchema } from './lock-schema.js';
import { loopsSchema } from './loops-schema.js';
import { mcpHttpServerSchema } from './mcp-schema.js';
import { argumentRuleSchema, policySchema, profilePolicySchema, shadowSchema, webhookFields } from './policy-schema.js';
import { jwtSchema, rbacSchema, roleSchema, tokenSchema } from './rbac-schema.js';
import { samplingProviderSchema, samplingSchema } from './sampling-schema.js';
import { embeddingsFields, searchSchema } from './search-schema.js';
import { resilienceSchema, serverFields } from './server-schema.js';
import { storageSchema } from './storage-schema.js';
import { supervisorSchema } from './supervisor-schema.js';

interface UnknownField {
  readonly path: string;
  /** The known field of the same object that it is close to. */
  readonly nearest: string | undefined;
  readonly isRefused: boolean;
}

/** Paths of the fields that are kept and have no effect. */
export function unknownConfigFields(file: unknown): readonly string[] {
  return findUnknown(file)
    .filter(({ isRefused }) => !isRefused)
    .map(({ path }) => path);
}

/** The same with what each may be meant as, for people. */
export function unknownFieldWarnings(file: unknown): readonly Issue[] {
  return findUnknown(file)
    .filter(({ isRefused }) => !isRefused)
    .map(({ path, nearest }) => ({ path, message: `no field of Portico; it has no effect${asked(nearest)}` }));
}

/** Fields that no daemon may start with: unknown in `policy`, `approvals`, `rbac`, `audit`, `limits`, `loops`, `budgets` and `access`, or a misspelt such name. */
export function refusedFieldIssues(file: unknown): Issue[] {
  return findUnknown(file)
    .filter(({ isRefused }) => isRefused)
    .map(({ path, nearest }) => ({
      path,
      message: `is no field that Portico knows${asked(nearest) || '; remove it'}`,
    }));
}

function asked(nearest: string | undefined): string {
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

type Key = string | number;

interface Block {
  readonly at: readonly Key[];
  readonly value: unknown;
  readonly keys: readonly string[];
  /** Every unknown field is refused. */
  readonly isStrict?: boolean;
  /** Without these fields something is not protected: a name that is close to one is taken for a mistake, and refused. */
  readonly protecting?: readonly string[];
}

function findUnknown(file: unknown): readonly UnknownField[] {
  if (!isJsonObject(file)) return [];
  return [...topLevel(file), ...[...looseBlocks(file), ...strictBlocks(file)].flatMap(unknownIn)];
}

function topLevel(file: JsonObject): UnknownField[] {
  const keys = [...Object.keys(configFileSchema.entries), '$schema'];
  const protecting = ['policy', 'approvals', 'rbac', 'audit', 'limits', 'loops', 'budgets', 'access', 'authToken'];
  return unknownIn({ at: [], value: file, keys, protecting });
}

function unknownIn({ at, value, keys, isStrict = false, protecting = [] }: Block): UnknownField[] {
  if (!isJsonObject(value)) return [];
  return Object.keys(value)
    .filter((key) => !keys.includes(key))
    .map((key) => {
      const meant = nearest(key, keys);
      const isRefused = isStrict || (meant !== undefined && protecting.includes(meant));
      return { path: joinPath([...at, key]), nearest: meant, isRefused };
    });
}

/** snake_case is another spelling of the same name. A name that begins with `x-`, `_` or `$` is a user's own. */
function nearest(key: string, keys: readonly string[]): string | undefined {
  if (/^(x-|[_$])/i.test(key)) return undefined;
  return nearestOf(key.replaceAll('_', ''), keys);
}

function looseBlocks(file: JsonObject): Block[] {
  const resilienceKeys = Object.keys(resilienceSchema.entries);
  const each = (field: string, keys: readonly string[]) =>
    entriesOf(file[field]).map(([id, value]) => ({ at: [field, id], value, keys }));
  const { sampling, search } = file;
  const provider = isJsonObject(sampling) ? sampling.provider : undefined;
  const embeddings = isJsonObject(search) ? search.embeddings : undefined;
  return [
    { at: ['resilience'], value: file.resilience, keys: resilienceKeys },
    ...each('mcpServers', serverFields),
    ...entriesOf(file.mcpServers).flatMap(([id, server]) =>
      isJsonObject(server)
        ? [{ at: ['mcpServers', id, 'resilience'], value: server.resilience, keys: resilienceKeys }]
        : [],
    ),
    { at: ['idempotency'], value: file.idempotency, keys: ['ttlSecs'] },
    { at: ['mcpHttpServer'], value: file.mcpHttpServer, keys: Object.keys(mcpHttpServerSchema.entries) },
    { at: ['sampling'], value: sampling, keys: Object.keys(samplingSchema.entries) },
    { at: ['sampling', 'provider'], value: provider, keys: Object.keys(samplingProviderSchema.entries) },
    { at: ['search'], value: search, keys: Object.keys(searchSchema.entries) },
    { at: ['search', 'embeddings'], value: embeddings, keys: embeddingsFields(embeddings) },
    { at: ['storage'], value: file.storage, keys: Object.keys(storageSchema.entries) },
    { at: ['supervisor'], value: file.supervisor, keys: Object.keys(supervisorSchema.entries) },
    ...each('profiles', ['servers', 'description', 'policy']).map((block) => ({ ...block, protecting: ['policy'] })),
    ...each('capabilityAliases', ['target', 'summary', 'description', 'passthrough']),
    ...each('resourceAliases', ['target', 'summary', 'description']),
    ...each('promptAliases', ['target', 'summary', 'description']),
  ];
}

function strictBlocks(file: JsonObject): Block[] {
  const { policy, audit, limits } = file;
  const { webhook, grants } = isJsonObject(policy) ? policy : {};
  const siem = isJsonObject(audit) ? audit.siem : undefined;
  const blocks: Block[] = [
    { at: ['policy'], value: policy, keys: Object.keys(policySchema.entries) },
    { at: ['policy', 'webhook'], value: webhook, keys: webhookFields },
    { at: ['policy', 'grants'], value: grants, keys: Object.keys(grantsSchema.entries) },
    shadowBlock(['policy'], policy),
    ...ruleBlocks(['policy'], policy),
    { at: ['audit'], value: audit, keys: Object.keys(auditSchema.entries) },
    { at: ['audit', 'siem'], value: siem, keys: Object.keys(siemSchema.entries) },
    ...approvalsBlocks(file.approvals),
    ...rbacBlocks(file.rbac),
    { at: ['limits'], value: limits, keys: Object.keys(limitsSchema.entries) },
    { at: ['inspect'], value: file.inspect, keys: Object.keys(inspectSchema.entries) },
    ...lockBlocks(file.lock),
    { at: ['loops'], value: file.loops, keys: Object.keys(loopsSchema.entries) },
    ...budgetBlocks(file.budgets),
    { at: ['access'], value: file.access, keys: Object.keys(accessSchema.entries) },
    ...entriesOf(file.profiles).flatMap(([id, profile]) =>
      isJsonObject(profile)
        ? [
            { at: ['profiles', id, 'policy'], value: profile.policy, keys: Object.keys(profilePolicySchema.entries) },
            shadowBlock(['profiles', id, 'policy'], profile.policy),
            ...ruleBlocks(['profiles', id, 'policy'], profile.policy),
          ]
        : [],
    ),
  ];
  return blocks.map((block) => ({ ...block, isStrict: true }));
}

function lockBlocks(lock: unknown): Block[] {
  if (!isJsonObject(lock)) return [];
  const own = entriesOf(lock.servers).map(([id, value]) => ({
    at: ['lock', 'servers', id],
    value,
    keys: Object.keys(serverLockSchema.entries),
  }));
  return [{ at: ['lock'], value: lock, keys: Object.keys(lockSchema.entries) }, ...own];
}

function budgetBlocks(budgets: unknown): Block[] {
  return (Array.isArray(budgets) ? budgets : []).flatMap((value: unknown, index) => [
    { at: ['budgets', index], value, keys: Object.keys(budgetSchema.entries) },
    {
      at: ['budgets', index, 'scope'],
      value: isJsonObject(value) ? value.scope : undefined,
      keys: Object.keys(budgetScopeSchema.entries),
    },
  ]);
}

function shadowBlock(at: readonly Key[], rules: unknown): Block {
  const value = isJsonObject(rules) ? rules.shadow : undefined;
  return { at: [...at, 'shadow'], value, keys: Object.keys(shadowSchema.entries) };
}

function ruleBlocks(at: readonly Key[], given: unknown): Block[] {
  const rules = isJsonObject(given) && Array.isArray(given.rules) ? given.rules : [];
  const keys = Object.keys(argumentRuleSchema.entries);
  return rules.map((value: unknown, index) => ({ at: [...at, 'rules', index], value, keys }));
}

function approvalsBlocks(approvals: unknown): Block[] {
  if (!isJsonObject(approvals)) return [];
  const { notices } = approvals;
  return [
    { at: ['approvals'], value: approvals, keys: Object.keys(approvalsSchema.entries) },
    ...(Array.isArray(notices) ? notices : []).map((value: unknown, index) => ({
      at: ['approvals', 'notices', index],
      value,
      keys: isJsonObject(value) ? noticeReceiverFields(value) : [],
    })),
  ];
}

function rbacBlocks(rbac: unknown): Block[] {
  if (!isJsonObject(rbac)) return [];
  const { roles, tokens, jwt } = rbac;
  return [
    { at: ['rbac'], value: rbac, keys: Object.keys(rbacSchema.entries) },
    ...entriesOf(roles).flatMap(([name, value]) => [
      { at: ['rbac', 'roles', name], value, keys: Object.keys(roleSchema.entries) },
      shadowBlock(['rbac', 'roles', name], value),
      ...ruleBlocks(['rbac', 'roles', name], value),
    ]),
    ...(Array.isArray(tokens) ? tokens : []).map((value, index) => ({
      at: ['rbac', 'tokens', index],
      value,
      keys: Object.keys(tokenSchema.entries),
    })),
    { at: ['rbac', 'jwt'], value: jwt, keys: Object.keys(jwtSchema.entries) },
  ];
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
