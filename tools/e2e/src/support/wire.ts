// The bodies of the interface as a client sees them, written down apart from the product's own types.
export interface Item {
  readonly id: string;
  readonly server: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly tool?: string;
  readonly uri?: string;
  readonly name?: string;
}

export type ListName = 'capabilities' | 'resources' | 'prompts';

export type List = { readonly version: string; readonly catalog_version: string; readonly ttl_ms: number } & {
  readonly cache_scope: string;
} & Readonly<Record<ListName, readonly Item[]>>;

export interface Found extends Item {
  readonly mode: string;
  readonly score: number;
  readonly match_types: readonly string[];
}

export interface Search {
  readonly version: string;
  readonly catalog_version: string;
  readonly capabilities: readonly Found[];
}

export interface Description {
  readonly version: string;
  readonly capability: Readonly<Record<string, unknown>>;
}

/** Structured data of the fixtures' tools; which of the fields are there depends on the tool. */
export interface ToolData {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent: {
    readonly pid: number;
    readonly env: Readonly<Record<string, string>>;
    readonly argv: readonly string[];
    readonly cwd: string;
    readonly headers: Readonly<Record<string, string>> | null;
    readonly requests: readonly { readonly id: number; readonly reason?: string }[];
    readonly calls: number;
  };
}

export interface Envelope<D = ToolData> {
  readonly ok: boolean;
  readonly request_id: string | null;
  readonly trace_id: string;
  readonly context?: Readonly<Record<string, string>>;
  readonly retry: { readonly classification: string; readonly upstream_execution_state: string };
  readonly data: D;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly reason?: string;
    readonly retry_after_secs?: number;
    readonly budget?: Readonly<Record<string, unknown>>;
  };
}

export interface ServerInfo {
  readonly id: string;
  readonly transport: string;
  readonly status: string;
  readonly protocol_version: string | null;
  readonly pid: number;
  readonly circuit: { readonly state: string; readonly consecutive_failures: number; readonly remaining_ms: number };
  readonly given_up?: boolean;
  readonly restarts: number;
  readonly reconnects?: number;
  readonly queued: number;
  readonly running: number;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  readonly refused_requests?: readonly { readonly method: string; readonly reason: string; readonly count: number }[];
  readonly last_error?: string;
  readonly login_url?: string;
}

export interface IdempotencyRecord {
  readonly key: string;
  readonly response: Envelope<unknown>;
  readonly created_at_epoch_secs: number;
  readonly replay_count: number;
  readonly capability_id?: string | null;
  readonly completed_at_epoch_secs?: number | null;
  readonly first_trace_id?: string | null;
}

export interface Batch {
  readonly ok: boolean;
  readonly results: readonly {
    readonly id: string;
    readonly ok: boolean;
    readonly error?: string;
    readonly data?: unknown;
  }[];
}
