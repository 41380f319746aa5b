// From the raw configuration file to the resolved one: defaults, overrides and the checks that span fields.
import { type Issue, joinPath, type Parsed, parseWith } from '../issues.js';
import { unicodeIssues } from '../unicode.js';
import { toClientCapabilities } from './client-capabilities.js';
import {
  type Alias,
  type Aliases,
  type Config,
  defaultResilience,
  defaultSupervisor,
  type HttpServer,
  type Profile,
  type Resilience,
  type Root,
  type ServerConfig,
  type StdioServer,
} from './config.js';
import { configFileSchema, type RawAlias, type RawConfig } from './file-schema.js';
import { headerIssues } from './header-issues.js';
import { accessIssues, toAccess } from './resolve-access.js';
import { approvalsIssues, toApprovals } from './resolve-approvals.js';
import { auditIssues, toAudit } from './resolve-audit.js';
import { budgetIssues, toBudget, toPrices } from './resolve-budgets.js';
import { toInspect } from './resolve-inspect.js';
import { lifecycleIssues, toLifecycle } from './resolve-lifecycle.js';
import { toLimits } from './resolve-limits.js';
import { toLock } from './resolve-lock.js';
import { toLoops } from './resolve-loops.js';
import { mcpIssues, toMcp, toMcpHttpServer } from './resolve-mcp.js';
import { argumentRuleIssues, policyIssues, toPolicy, toRules } from './resolve-policy.js';
import { rbacIssues, toRbac } from './resolve-rbac.js';
import { toSampling } from './resolve-sampling.js';
import { toSearch } from './resolve-search.js';
import type { RawRoot } from './roots-schema.js';
import type { RawResilience, RawServer } from './server-schema.js';
import { refusedFieldIssues } from './unknown-fields.js';

/** Ids of servers. */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/;
const idRule = 'must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)';

/** Validates the parsed JSON of a configuration file and fills in every default. Reports all problems at once. */
export function resolveConfig(file: unknown): Parsed<Config> {
  const garbled = unicodeIssues(file, []);
  if (garbled.length > 0) return { ok: false, issues: garbled };
  const parsed = parseWith(configFileSchema, file);
  const refused = refusedFieldIssues(file);
  if (!parsed.ok) return { ok: false, issues: [...parsed.issues, ...refused] };
  const raw = parsed.value;
  const issues = [
    ...refused,
    ...serverIssues(raw),
    ...aliasIssues(raw),
    ...profileIssues(raw),
    ...policyIssues(raw.policy),
    ...argumentRuleIssues(raw),
    ...approvalsIssues(raw.approvals),
    ...auditIssues(raw.audit),
    ...mcpIssues(raw),
    ...rbacIssues(raw),
    ...accessIssues(raw),
    ...budgetIssues(raw.budgets),
  ];
  if (issues.length > 0) return { ok: false, issues };
  return {
    ok: true,
    value: {
      port: raw.port ?? 9090,
      toolTimeoutMs: raw.toolTimeoutMs ?? 15_000,
      maxToolTimeoutMs: raw.maxToolTimeoutMs ?? 600_000,
      taskTimeoutMs: raw.taskTimeoutMs ?? 1_800_000,
      aliases: toAliases(raw),
      profiles: mapValues(raw.profiles ?? {}, toProfile),
      servers: mapValues(raw.mcpServers, (server) => toServer(server, raw.resilience)),
      authToken: raw.authToken ?? null,
      access: toAccess(raw),
      policy: toPolicy(raw.policy),
      approvals: toApprovals(raw.approvals),
      idempotencyTtlSecs: raw.idempotency?.ttlSecs ?? 86_400,
      audit: toAudit(raw.audit),
      sampling: toSampling(raw.sampling),
      roots: (raw.roots ?? []).map(toRoot),
      search: toSearch(raw.search),
      storage: raw.storage == null ? null : { url: raw.storage.url },
      limits: toLimits(raw.limits),
      mcpHttpServer: raw.mcpHttpServer == null ? null : toMcpHttpServer(raw.mcpHttpServer),
      mcpExposure: raw.mcpExposure ?? 'facade',
      mcp: toMcp(raw.mcp),
      supervisor: { retryGivenUpSecs: raw.supervisor?.retryGivenUpSecs ?? defaultSupervisor.retryGivenUpSecs },
      inspect: toInspect(raw.inspect),
      lock: toLock(raw.lock),
      loops: toLoops(raw.loops),
      budgets: (raw.budgets ?? []).map(toBudget),
      prices: toPrices(raw.prices),
      rbac: raw.rbac == null ? null : toRbac(raw.rbac),
    },
  };
}

function serverIssues(raw: RawConfig): Issue[] {
  return Object.entries(raw.mcpServers).flatMap(([id, server]) => {
    const at = (...keys: string[]) => joinPath(['mcpServers', id, ...keys]);
    if (!idPattern.test(id)) return [{ path: at(), message: `server id ${idRule}` }];
    const hasCommand = isSet(server.command);
    if (hasCommand === isSet(server.url)) {
      const found = hasCommand ? 'has both' : 'has neither';
      return [{ path: at(), message: `needs exactly one of \`command\` and \`url\`; it ${found}` }];
    }
    return [...(hasCommand ? stdioIssues(server, at) : httpIssues(server, at)), ...lifecycleIssues(server, at)];
  });
}

const httpFields = [
  'protocolVersion',
  'allowStateless',
  'allowPrivateMetadata',
  'allowedAddressClasses',
  'headers',
  'auth',
] as const;
const stdioFields = ['args', 'env', 'cwd', 'envFile', 'maxProcesses'] as const;

function misplaced(
  server: RawServer,
  fields: readonly (keyof RawServer & string)[],
  transport: string,
  at: (...keys: string[]) => string,
): Issue[] {
  return fields
    .filter((field) => isSet(server[field]))
    .map((field) => ({ path: at(field), message: `does not go with \`${transport}\`` }));
}

function stdioIssues(server: RawServer, at: (...keys: string[]) => string): Issue[] {
  const issues = misplaced(server, httpFields, 'command', at);
  const words = [
    ['command', server.command ?? ''] as const,
    ...(server.args ?? []).map((arg) => ['args', arg] as const),
  ];
  for (const [field, text] of words) {
    if (text.includes('\0')) issues.push({ path: at(field), message: 'must not hold a null character' });
  }
  for (const [name, value] of Object.entries(server.env ?? {})) {
    if (name === '' || /[=\0]/.test(name)) issues.push({ path: at('env', name), message: 'is not a variable name' });
    if (value.includes('\0')) issues.push({ path: at('env', name), message: 'must not hold a null character' });
  }
  return issues;
}

function httpIssues(server: RawServer, at: (...keys: string[]) => string): Issue[] {
  const issues = misplaced(server, stdioFields, 'url', at);
  if (!/^https?:\/\/[^/\s]/i.test(server.url ?? '')) {
    issues.push({ path: at('url'), message: 'must be an http: or https: address' });
  }
  return [...issues, ...headerIssues(server.headers ?? {}, (name) => at('headers', name))];
}

const aliasFields = ['capabilityAliases', 'resourceAliases', 'promptAliases'] as const;

function aliasIssues(raw: RawConfig): Issue[] {
  return aliasFields.flatMap((field) => {
    const aliases = raw[field] ?? {};
    return Object.entries(aliases).flatMap(([name, alias]): Issue[] => {
      const path = joinPath([field, name]);
      const target = typeof alias === 'string' ? alias : alias.target;
      if (['', '.', '..'].includes(name)) return [{ path, message: 'an alias needs a name that a URL can carry' }];
      if (Object.hasOwn(aliases, target))
        return [{ path, message: `points at another alias, "${target}"; name its target` }];
      const dot = target.indexOf('.');
      if (dot < 1 || !idPattern.test(target.slice(0, dot)) || dot === target.length - 1) {
        return [{ path, message: `target "${target}" must be of the form <server>.<name>` }];
      }
      return [];
    });
  });
}

/** Half of a surrogate pair cannot be digested, sent or written. */
function profileIssues(raw: RawConfig): Issue[] {
  return Object.entries(raw.profiles ?? {}).flatMap(([id, profile]): Issue[] => {
    if (!idPattern.test(id)) return [{ path: joinPath(['profiles', id]), message: `profile id ${idRule}` }];
    return profile.servers.flatMap((server, index) =>
      Object.hasOwn(raw.mcpServers, server)
        ? []
        : [{ path: joinPath(['profiles', id, 'servers', index]), message: `no server "${server}" in mcpServers` }],
    );
  });
}

function toServer(server: RawServer, shared: RawResilience | undefined): ServerConfig {
  return {
    transport: toTransport(server),
    lifecycle: toLifecycle(server),
    ...(server.argumentChecks == null || server.argumentChecks === 'strict'
      ? {}
      : { argumentChecks: server.argumentChecks }),
    ...(server.clientCapabilities == null
      ? {}
      : { clientCapabilities: toClientCapabilities(server.clientCapabilities) }),
    resilience: toResilience({ ...shared, ...defined(server.resilience) }),
  };
}

function toRoot({ uri, name }: RawRoot): Root {
  return name == null ? { uri } : { uri, name };
}

function toTransport(server: RawServer): StdioServer | HttpServer {
  if (isSet(server.command)) {
    const { command, args = [], env = {}, cwd, envFile, maxProcesses } = server;
    return {
      ...{ kind: 'stdio', command, args, env },
      ...(isSet(cwd) ? { cwd } : {}),
      ...(isSet(envFile) ? { envFile } : {}),
      ...(isSet(maxProcesses) ? { maxProcesses } : {}),
    };
  }
  return {
    kind: 'http',
    url: server.url ?? '',
    protocolVersion: server.protocolVersion ?? '2026-07-28',
    allowStateless: server.allowStateless ?? false,
    allowPrivateMetadata: server.allowPrivateMetadata ?? false,
    allowedAddressClasses: server.allowedAddressClasses ?? [],
    headers: server.headers ?? {},
    auth: server.auth ?? null,
  };
}

function toResilience(raw: RawResilience): Resilience {
  return {
    failureThreshold: raw.failureThreshold ?? defaultResilience.failureThreshold,
    cooldownMs: raw.cooldownMs ?? defaultResilience.cooldownMs,
    consecutiveSuccesses: raw.consecutiveSuccesses ?? defaultResilience.consecutiveSuccesses,
    autoRestart: raw.autoRestart ?? defaultResilience.autoRestart,
    maxRestarts: raw.maxRestarts ?? defaultResilience.maxRestarts,
    healthCheckIntervalSecs: raw.healthCheckIntervalSecs ?? defaultResilience.healthCheckIntervalSecs,
  };
}

function toAliases(raw: RawConfig): Aliases {
  return {
    capability: mapValues(raw.capabilityAliases ?? {}, toAlias),
    resource: mapValues(raw.resourceAliases ?? {}, toAlias),
    prompt: mapValues(raw.promptAliases ?? {}, toAlias),
  };
}

function toAlias(raw: RawAlias): Alias {
  if (typeof raw === 'string') return { target: raw };
  return {
    target: raw.target,
    ...(raw.summary === undefined ? {} : { summary: raw.summary }),
    ...(raw.description === undefined ? {} : { description: raw.description }),
    ...(raw.passthrough === undefined ? {} : { passthrough: raw.passthrough }),
  };
}

function toProfile({ servers, description, policy }: NonNullable<RawConfig['profiles']>[string]): Profile {
  return {
    servers: [...new Set(servers)].sort(),
    description: description ?? null,
    policy: policy == null ? null : toRules(policy),
  };
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function defined<T extends object>(value: T | undefined): Partial<T> {
  const entries = Object.entries(value ?? {}).filter(([, field]) => field !== undefined);
  // Holds because only entries of the value itself are kept.
  return Object.fromEntries(entries) as Partial<T>;
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): ReadonlyMap<string, B> {
  return new Map(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
