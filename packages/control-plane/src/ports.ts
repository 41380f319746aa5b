// What the control plane needs from outside. Effects are behind these; everything else it does is a computation.
import type { Tracer } from '@opentelemetry/api';
import type { ApprovalNotice, Config, JsonObject, SamplingProvider, Webhook } from '@portico/contracts';
import type { Ledger } from '@portico/idempotency';
import type { Clock, UpstreamConnector } from '@portico/upstream-pool';
import type { TicketStore } from './approvals/ticket-store.js';
import type { AuditLog } from './audit/audit-log.js';
import type { AiClients } from './clients/ai-clients.js';
import type { ConfigSource } from './configuration/config-source.js';
import type { DefinitionStore } from './definitions/definition-store.js';
import type { FeedStore } from './feed/feed-store.js';
import type { PlaneMetrics } from './metrics/metrics.js';
import type { Neighbours } from './neighbours/neighbours.js';
import type { SamplingStore } from './sampling/sampling-store.js';
import type { Embedder } from './semantic/embedder.js';
import type { VectorStore } from './semantic/vector-store.js';
import type { TaskStore } from './tasks/task-store.js';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Writes one structured line, redacted by whoever provides it: fields may hold what servers write to their own logs. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Tells whoever is configured of a ticket. Never throws and never waits. */
export type NotifyApproval = (webhook: Webhook, notice: ApprovalNotice) => void;

/**
 * Has a model answer.
 * @param params MCP params of `sampling/createMessage`
 * @returns the MCP `CreateMessageResult`; rejects when the provider fails, or cannot be asked this
 */
export type SampleMessages = (
  provider: SamplingProvider,
  params: JsonObject,
  signal: AbortSignal,
) => Promise<JsonObject>;

/** What is durable, but for the audit log. */
export interface Stores {
  readonly ledger: Ledger;
  readonly tickets: TicketStore;
  readonly samplingTickets: SamplingStore;
  readonly tasks: TaskStore;
  readonly feed: FeedStore;
  readonly definitions: DefinitionStore;
  readonly vectors: VectorStore;
}

export interface PlaneDeps extends Stores {
  readonly connector: UpstreamConnector;
  readonly clock: Clock;
  /** Fresh random bytes as lower-case hex: 32 characters for a trace, 16 for a span. */
  readonly randomHex: (characters: number) => string;
  readonly log: Log;
  /** Has search go by meaning as well. Without one it goes by words. */
  readonly embedder?: Embedder | undefined;
  /** Where the configuration is kept. Without one it cannot be changed. */
  readonly configSource?: ConfigSource | undefined;
  /** Hears of every configuration that comes into force after the first. */
  readonly onConfigured?: ((config: Config) => void) | undefined;
  readonly audit: AuditLog;
  /** Other daemons that serve the same state. None by default. */
  readonly neighbours?: Neighbours | undefined;
  readonly notifyApproval: NotifyApproval;
  /** Asks the sampling provider that is configured. Without it tickets are left to people. */
  readonly sampleMessages?: SampleMessages | undefined;
  /**
   * Makes the spans of calls. None by default, not the process's global one: no spans are made then, at no cost, and
   * upstreams are told of the caller's trace under a random span id.
   */
  readonly tracer?: Tracer | undefined;
  /** Counts nothing by default. */
  readonly metrics?: PlaneMetrics | undefined;
  /** AI clients of the machine. None are known by default. */
  readonly aiClients?: AiClients | undefined;
}
