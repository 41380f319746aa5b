// The configuration as the rest of Portico sees it: validated, defaults filled in, nothing optional left open.

import type { JsonObject } from '../json.js';
import type { otherUsersRules } from './access-schema.js';
import type { BudgetScope, BudgetWindow, ExhaustedEffect } from './budgets-schema.js';
import type { FrameBodies } from './inspect-schema.js';
import type { AcceptableDrift, LockMode } from './lock-schema.js';
import type { LoopEffect } from './loops-schema.js';
import type { McpExposure } from './mcp-schema.js';
import type { ApprovalsConfig } from './notice-receivers.js';
import type { GrantRules, PolicyRules } from './policy-rules.js';
import type { Rbac } from './rbac.js';

export { type ArgumentRule, argumentRuleEffects, type GrantRules, type PolicyRules } from './policy-rules.js';

import type { ticketRules } from './sampling-schema.js';
import type { NameableClass, UpstreamAuth, UpstreamProtocolVersion } from './server-schema.js';

export interface Resilience {
  readonly failureThreshold: number;
  readonly cooldownMs: number;
  readonly consecutiveSuccesses: number;
  readonly autoRestart: boolean;
  readonly maxRestarts: number;
  /** Null means no health checks. */
  readonly healthCheckIntervalSecs: number | null;
}

export interface StdioServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory, absolute; absent for that of the service. */
  readonly cwd?: string;
  /** File of further variables, absolute; read when the program is started. */
  readonly envFile?: string;
  /** How many processes of it may run at once; absent for the default of 4. */
  readonly maxProcesses?: number;
}

export interface HttpServer {
  readonly kind: 'http';
  readonly url: string;
  readonly protocolVersion: UpstreamProtocolVersion;
  readonly allowStateless: boolean;
  readonly allowPrivateMetadata: boolean;
  /** Besides public addresses and those of the server's own class. */
  readonly allowedAddressClasses: readonly NameableClass[];
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: UpstreamAuth | null;
}

/** When a server runs: always, or while something needs it and for a while after. */
export type Lifecycle = { readonly kind: 'eager' } | { readonly kind: 'lazy'; readonly idleStopSecs: number };

export interface ServerConfig {
  readonly transport: StdioServer | HttpServer;
  readonly lifecycle: Lifecycle;
  /** How arguments that a schema refuses are handled; absent for `strict`. */
  readonly argumentChecks?: 'coerce' | 'off';
  /** Capabilities declared to it, as MCP has them; absent for all that are bridged. */
  readonly clientCapabilities?: JsonObject;
  readonly resilience: Resilience;
}

export interface Alias {
  /** A canonical id, `<server>.<name>`. */
  readonly target: string;
  readonly summary?: string;
  readonly description?: string;
  /** Capabilities only: MCP clients see the tool under the alias itself. */
  readonly passthrough?: boolean;
}

export interface Aliases {
  readonly capability: ReadonlyMap<string, Alias>;
  readonly resource: ReadonlyMap<string, Alias>;
  readonly prompt: ReadonlyMap<string, Alias>;
}

export interface Webhook {
  readonly url: string;
  /** Signs every body; at most one of the two is there. */
  readonly secret: string | null;
  /** Name of the environment variable that holds the secret. */
  readonly secretEnv: string | null;
  /** Sent as `Authorization`. */
  readonly authHeader: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Policy extends PolicyRules {
  readonly approvalTimeoutSecs: number;
  /** Key names whose values never leave; null means the built-in list. */
  readonly redactKeys: readonly string[] | null;
  /** Gets every ticket and every decision; null for none. */
  readonly webhook: Webhook | null;
  /** Absent if each approval is for one call. */
  readonly grants?: GrantRules;
}

export interface Profile {
  readonly servers: readonly string[];
  readonly description: string | null;
  /** Narrows the policy for this profile; null leaves it as it is. */
  readonly policy: PolicyRules | null;
}

/** Gets every audit record, in batches, at least once. */
export type SiemTarget = SiemWebhook | SplunkHec;

export interface SiemWebhook {
  readonly kind: 'webhook';
  readonly url: string;
  /** Sent as `Authorization`. */
  readonly authHeader: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Splunk's HTTP Event Collector. `url` is the whole address, with its path. */
export interface SplunkHec {
  readonly kind: 'splunk_hec';
  readonly url: string;
  readonly token: string;
  readonly index: string | null;
  readonly source: string | null;
}

export interface Audit {
  readonly isEnabled: boolean;
  /** JSONL file that is the log; null keeps it in memory. */
  readonly filePath: string | null;
  /** `strict`: no answer leaves before its record is on disk. */
  readonly durability: 'buffered' | 'strict';
  /** Records that may wait to be written; callers wait when there are more. */
  readonly bufferCapacity: number;
  readonly flushIntervalMs: number;
  /** Records that are written, or sent to a SIEM target, without waiting for more. */
  readonly maxBatchSize: number;
  /** Records between two signed checkpoints, at most. */
  readonly checkpointRecords: number;
  /** How long a written record waits for a signed checkpoint, at most. */
  readonly checkpointIntervalMs: number;
  /** Size at which the file is sealed as a segment, in units of 1,000,000 bytes. */
  readonly maxFileMb: number;
  /** After which sealed segments are removed; null keeps all of them. */
  readonly keepDays: number | null;
  /** Records of calls that have digests of arguments and results: those of calls that did not just succeed, or all. */
  readonly digests: 'exceptions' | 'all';
  readonly siemTargets: readonly SiemTarget[];
}

/** An OpenAI-compatible endpoint that answers sampling tickets. */
export interface SamplingProvider {
  /** Base address, or that of `/chat/completions` itself. */
  readonly url: string;
  readonly model: string;
  /** Name of the environment variable that holds the key; null sends none. */
  readonly apiKeyEnv: string | null;
  /** Most tokens of an answer; null leaves it to the request. */
  readonly maxTokens: number | null;
}

export interface SamplingConfig {
  /** Null leaves tickets to people. */
  readonly provider: SamplingProvider | null;
  /** Whether what is asked of an MCP client that cannot sample waits for people, or is refused. */
  readonly tickets: (typeof ticketRules)[number];
}

/** A folder that servers may work in (MCP `Root`). */
export interface Root {
  /** `file://`. */
  readonly uri: string;
  readonly name?: string;
}

/** Any OpenAI-compatible API that gives vectors. */
export interface OpenAiEmbeddings {
  readonly provider: 'openai';
  /** Base address, or that of `/embeddings` itself. */
  readonly url: string;
  readonly model: string;
  /** Name of the environment variable that holds the key; null sends none. */
  readonly apiKeyEnv: string | null;
  /** Length of the vectors; null leaves it to the model. */
  readonly dimensions: number | null;
}

/** A model on this machine. */
export interface TransformersEmbeddings {
  readonly provider: 'transformers';
  /** A folder, or an id on the Hugging Face Hub. */
  readonly model: string;
}

export type EmbeddingsConfig = OpenAiEmbeddings | TransformersEmbeddings;

export interface SearchConfig {
  /** `builtin`: search compares words and meaning. `off`: words only, for every value of `embeddings`. */
  readonly semantic: 'builtin' | 'off';
  /** The model to use instead of the built-in one; null for none. */
  readonly embeddings: EmbeddingsConfig | null;
}

/** Access on loopback without a token. */
export interface LocalAccess {
  /** Rights of other users' processes, where the system reports the owner of a connection. */
  readonly otherUsers: (typeof otherUsersRules)[number];
  /** Whether administration needs the token of the state directory. */
  readonly operatorToken: boolean;
  /** Whether `/v1` asks for the `authToken` on loopback too. */
  readonly requireTokenOnLoopback: boolean;
}

/** Where durable state is kept, instead of in the state directory. */
export interface StorageConfig {
  /** Address of a PostgreSQL database, or a secret URI of one. */
  readonly url: string;
}

/**
 * Limits of one call and one process, and of one principal: the counts apply while no other principal holds anything. A
 * principal never has more than the free part of twice that, so that there is room for the next; where a name says "to
 * one server", both are shared in this way.
 */
export interface Limits {
  /** Steps that checking the arguments of one call may take. */
  readonly validationSteps: number;
  /** How long the event loop may stand still before the process is ended; 0 ends it never. */
  readonly maxStallMs: number;
  /** Calls to one server that wait for approval. */
  readonly approvals: number;
  /** Sampling tickets that wait for one server. */
  readonly samplingTickets: number;
  /** Characters of JSON in the approvals of one server that wait; as many again in its sampling tickets. */
  readonly waitingCharacters: number;
  /** Calls to one server that wait for answers of their callers. */
  readonly parkedCalls: number;
  /** Tasks at one server that have not ended. */
  readonly tasks: number;
  /** MCP sessions. */
  readonly sessions: number;
  /** Streams of changes. */
  readonly streams: number;
  /** Calls that wait for a place at one server. */
  readonly queuedCalls: number;
  /** Characters in the stored answers and the tasks of one principal. */
  readonly keptCharacters: number;
  /**
   * Percent-encoded characters of the URI or template of one resource: all its readings are compared with rules, which
   * takes up to 2 µs for each of them.
   */
  readonly uriCharacters: number;
  /** Characters of all URIs that one server lists, templates left out. */
  readonly listedUriCharacters: number;
  /** Events that one MCP session keeps for streams that break off. */
  readonly resumableEvents: number;
  /** Bytes of these events; as many may wait for a client that does not read its stream. */
  readonly resumableBytes: number;
  /** Templates that one server lists. Every URI is compared with each. */
  readonly listedTemplates: number;
  /** Different names of members in one large message of a server. */
  readonly messageNames: number;
}

/** The listener for MCP clients. */
export interface McpHttpServer {
  readonly port: number;
  readonly bind: string;
  /** Between pings on open streams; null for none. */
  readonly sseKeepAliveMs: number | null;
  /** After which a stream of a request is closed before its answer, for clients that come again; null for never. */
  readonly ssePollMs: number | null;
  /** JSON where nothing has to be streamed; else every answer is a stream. */
  readonly jsonResponse: boolean;
  /** The only profile that it serves; null leaves that to each request. */
  readonly profile: string | null;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** How MCP clients are served, over every transport. */
export interface McpSettings {
  /** How long the first list of a client waits for servers without known definitions, milliseconds. */
  readonly firstListWaitMs: number;
}

/** How lost servers are looked after. */
export interface Supervisor {
  /** After which a server that was given up on is tried once more, each time. */
  readonly retryGivenUpSecs: number;
}

/** The wire log: messages of servers, kept in memory. */
export interface Inspect {
  readonly isEnabled: boolean;
  /** Memory for the messages of all servers together, megabytes. */
  readonly maxMb: number;
  readonly bodies: FrameBodies;
  /** Size of one message, kilobytes. */
  readonly maxBodyKb: number;
}

export interface LockRules {
  readonly mode: LockMode;
  /** The rule for definitions that are not in the lock. */
  readonly newTools: 'hold' | 'allow';
}

/** The lock: where the accepted definitions are kept, and how differences from them are treated. */
export interface LockConfig extends LockRules {
  /** As it is written: relative to the folder of the configuration. */
  readonly file: string;
  /** Classes of drift that are used before a person has accepted them. */
  readonly accept: readonly AcceptableDrift[];
  /** Rules for single servers, by id. They replace the common rules and are never less strict. */
  readonly servers: ReadonlyMap<string, LockRules>;
}

/** The limits of each account of a budget: whole numbers, microseconds, and millionths of a unit of money. */
export interface BudgetLimits {
  readonly calls?: number;
  readonly resultBytes?: number;
  /** Estimated. */
  readonly resultTokens?: number;
  readonly upstreamUs?: number;
  readonly costMicros?: number;
}

export interface Budget {
  readonly id: string;
  readonly by: BudgetScope;
  /** Pattern of the ids of the calls that it counts; null for all. */
  readonly match: string | null;
  /** Pattern of the names of its accounts; null for all. */
  readonly only: string | null;
  readonly window: BudgetWindow;
  readonly limits: BudgetLimits;
  /** The part of a limit at which the log has a warning. */
  readonly warnAt: number;
  readonly onExhausted: ExhaustedEffect;
}

/** When a call repeats itself without a change, and what follows. */
export interface LoopRules {
  /** Runs of one call with the same arguments and the same result, one after the other; the next one is a loop. */
  readonly identical: number;
  /** Seconds within which they count. */
  readonly withinSecs: number;
  /** Whether two calls that take turns are a loop as well. */
  readonly alternating: boolean;
  readonly onDetected: LoopEffect;
  /** Patterns of ids that are never a loop. */
  readonly except: readonly string[];
}

export interface Config {
  readonly port: number;
  readonly toolTimeoutMs: number;
  /** How far progress extends that. */
  readonly maxToolTimeoutMs: number;
  /** Deadline of calls that go on as tasks. */
  readonly taskTimeoutMs: number;
  readonly aliases: Aliases;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly servers: ReadonlyMap<string, ServerConfig>;
  readonly authToken: string | null;
  readonly access: LocalAccess;
  readonly policy: Policy;
  readonly approvals: ApprovalsConfig;
  /** How long the outcome of an execution with an idempotency key is kept, seconds. */
  readonly idempotencyTtlSecs: number;
  readonly audit: Audit;
  readonly sampling: SamplingConfig;
  /** The answer to `roots/list` where the caller is not asked. */
  readonly roots: readonly Root[];
  readonly search: SearchConfig;
  readonly limits: Limits;
  /** Null keeps state in SQLite. */
  readonly storage: StorageConfig | null;
  /** Null if the file has none, and then the daemon does not listen for MCP clients. */
  readonly mcpHttpServer: McpHttpServer | null;
  readonly mcpExposure: McpExposure;
  readonly mcp: McpSettings;
  readonly supervisor: Supervisor;
  readonly inspect: Inspect;
  readonly lock: LockConfig;
  /** Null if the file has none, and then no call is compared with another. */
  readonly loops: LoopRules | null;
  readonly budgets: readonly Budget[];
  /** Prices of calls by id or pattern, in millionths; the first that matches counts. */
  readonly prices: ReadonlyMap<string, number>;
  /** Null if the file has none, and then no caller has a role. */
  readonly rbac: Rbac | null;
}

/** Values of `resilience` that a server entry leaves out; times in milliseconds. */
export const defaultResilience: Resilience = Object.freeze({
  failureThreshold: 3,
  cooldownMs: 30_000,
  consecutiveSuccesses: 2,
  autoRestart: true,
  maxRestarts: 5,
  healthCheckIntervalSecs: null,
});

/** The lifecycle of a server entry without `lifecycle`: it is connected at the start and stays so. */
export const eager: Lifecycle = Object.freeze({ kind: 'eager' });
/** Seconds without use after which a lazy server is stopped, where its entry names none. */
export const defaultIdleStopSecs = 300;

/** The policy of a configuration without `policy`: everything is allowed. */
export const defaultPolicy: Policy = Object.freeze({
  allow: [],
  deny: [],
  requireApproval: [],
  approvalTimeoutSecs: 300,
  redactKeys: null,
  webhook: null,
});

/** Values of `audit` that a configuration leaves out: records in memory, no SIEM targets. */
export const defaultAudit: Audit = Object.freeze({
  isEnabled: true,
  filePath: null,
  durability: 'buffered',
  bufferCapacity: 10_000,
  flushIntervalMs: 250,
  maxBatchSize: 100,
  checkpointRecords: 1000,
  checkpointIntervalMs: 60_000,
  maxFileMb: 256,
  keepDays: null,
  digests: 'exceptions',
  siemTargets: [],
});

/** Values of `sampling` that a configuration leaves out. */
export const defaultSampling: SamplingConfig = Object.freeze({ provider: null, tickets: 'auto' });
/** Values of `search` that a configuration leaves out: the built-in model, no embedder. */
export const defaultSearch: SearchConfig = Object.freeze({ semantic: 'builtin', embeddings: null });
/** Values of `limits` that a configuration leaves out; the schema describes each with its unit. */
export const defaultLimits: Limits = Object.freeze({
  validationSteps: 2_500_000,
  maxStallMs: 30_000,
  approvals: 1000,
  samplingTickets: 1000,
  waitingCharacters: 64_000_000,
  parkedCalls: 1000,
  tasks: 1000,
  sessions: 1000,
  streams: 1000,
  queuedCalls: 10_000,
  keptCharacters: 2_000_000_000,
  uriCharacters: 4096,
  listedUriCharacters: 2_000_000, // 200 for each of 10,000 resources
  resumableEvents: 1000,
  resumableBytes: 1_000_000,
  listedTemplates: 200,
  messageNames: 100_000,
});
/** Values of `inspect` that a configuration leaves out. */
export const defaultInspect: Inspect = Object.freeze({
  isEnabled: false,
  maxMb: 64,
  bodies: 'redacted',
  maxBodyKb: 64,
});

/** Values of `lock` that a configuration leaves out. */
export const defaultLock: LockConfig = Object.freeze({
  mode: 'off',
  newTools: 'hold',
  file: 'tools.lock',
  accept: ['cosmetic', 'narrowed'] as const,
  servers: new Map<string, LockRules>(),
});

/** Values of `loops` that the block leaves out. */
export const defaultLoops: LoopRules = Object.freeze({
  identical: 5,
  withinSecs: 600,
  alternating: true,
  onDetected: 'deny',
  except: [],
});

/** Values of `supervisor` that a configuration leaves out; `retryGivenUpSecs` in seconds. */
export const defaultSupervisor: Supervisor = Object.freeze({ retryGivenUpSecs: 300 });
/** Values of `mcp` that a configuration leaves out; `firstListWaitMs` in milliseconds. */
export const defaultMcp: McpSettings = Object.freeze({ firstListWaitMs: 5000 });
/** Values of `mcpHttpServer` that a configuration leaves out. */
export const defaultMcpHttpServer: McpHttpServer = Object.freeze({
  port: 9191,
  bind: '127.0.0.1',
  sseKeepAliveMs: 15_000,
  ssePollMs: null,
  jsonResponse: true,
  profile: null,
  allowedHosts: [],
  allowedOrigins: [],
});
