// The dependencies of the control plane. Effects are behind these ports; everything else is a computation.
import type { Config, SecretValues } from '@portico/contracts';
import type { Ledger } from '@portico/idempotency';
import type { Clock, UpstreamConnector } from '@portico/upstream-pool';
import type { GrantStore } from './approvals/grant-store.js';
import type { NoticePort } from './approvals/notice-service.js';
import type { NotifyApproval } from './approvals/notify.js';
import type { TicketStore } from './approvals/ticket-store.js';
import type { AuditLog } from './audit/audit-log.js';
import type { BudgetStore } from './budgets/budget-store.js';
import type { DefinitionStore } from './catalog/definitions/definition-store.js';
import type { FeedStore } from './catalog/feed/feed-store.js';
import type { Log } from './common/log.js';
import type { Stages } from './common/stage.js';
import type { AiClients } from './configuration/clients/ai-clients.js';
import type { ConfigSource } from './configuration/config-source.js';
import type { NotifyDrift } from './lock/drift-report.js';
import type { OpenLockFile } from './lock/lock-file.js';
import type { PlaneMetrics } from './observability/metrics/metrics.js';
import type { Tracing } from './observability/tracing/spans.js';
import type { Peers } from './peers/peers.js';
import type { ProviderRunsDeps } from './sampling/provider-runs.js';
import type { SamplingStore } from './sampling/sampling-store.js';
import type { Embedder } from './search/semantic/embedder.js';
import type { TextModel } from './search/semantic/text-model.js';
import type { VectorStore } from './search/semantic/vector-store.js';
import type { TaskStore } from './tasks/task-store.js';

/** Durable state, except the audit log. */
export interface Stores {
  readonly ledger: Ledger;
  readonly tickets: TicketStore;
  readonly samplingTickets: SamplingStore;
  readonly tasks: TaskStore;
  readonly feed: FeedStore;
  readonly definitions: DefinitionStore;
  readonly vectors: VectorStore;
  readonly budgetAccounts: BudgetStore;
  readonly grantStore: GrantStore;
}

export interface PlaneDeps extends Stores, Tracing, ProviderRunsDeps {
  readonly log: Log;
  readonly connector: UpstreamConnector;
  readonly clock: Clock;
  /** Adds meaning by this model to the search. */
  readonly embedder?: Embedder | undefined;
  /** Loads the model of the product; used without an embedder. Without either, search uses words only. */
  readonly loadModel?: (() => Promise<TextModel>) | undefined;
  /** Where the configuration is kept. Without one it cannot be changed. */
  readonly configSource?: ConfigSource | undefined;
  /** Called with every configuration that comes into force after the first. */
  readonly onConfigured?: ((config: Config) => void) | undefined;
  readonly audit: AuditLog;
  /** Key of the digests of arguments in audit records; a new one with each start by default. */
  readonly digestKey?: string | undefined;
  /** Values that audit records, tickets and notices never hold. None by default. */
  readonly secrets?: SecretValues | undefined;
  /** Other daemons that serve the same state. None by default. */
  readonly peers?: Peers | undefined;
  readonly notifyApproval: NotifyApproval;
  /** Sends test messages. Sends none by default. */
  readonly notices?: NoticePort | undefined;
  /** Address at which the web console is served on this machine, without a slash at its end. None by default. */
  readonly consoleUrl?: (() => string | undefined) | undefined;
  /** Opens the lock file; without it, a lock that is configured cannot be used. */
  readonly openLockFile?: OpenLockFile | undefined;
  /** Notifies a webhook of drifts of definitions. Not used by default. */
  readonly notifyDrift?: NotifyDrift | undefined;
  /** Counts nothing by default. */
  readonly metrics?: PlaneMetrics | undefined;
  /** Where a watchdog reads what is about to be done. Read by none by default. */
  readonly stages?: Stages | undefined;
  /** AI clients of the machine. Empty by default. */
  readonly aiClients?: AiClients | undefined;
}
