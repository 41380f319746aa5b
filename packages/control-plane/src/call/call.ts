// A call as facades hand it over, how it ends, and the failure that ends one. Shapes only.
import type { AbortSignalLike } from '@portico/async';
import {
  type ActorKind,
  type BudgetMeasure,
  type BudgetRefusal,
  type Correlation,
  type Envelope,
  type ErrorCode,
  type ErrorEnvelope,
  type ErrorReason,
  type JsonObject,
  nothingSent,
  PorticoError,
  type RetryMetadata,
  type RpcError,
  type TaskRecord,
} from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import type { CallSource } from './call-source.js';
import type { CallClient } from './client.js';

export type CallKind = 'tool' | 'resource' | 'prompt';

/** The caller, and its view. */
export interface Caller extends Viewer {
  /** Owner of keys, tickets and operations. No principal reaches those of another. */
  readonly principal: string;
  /** The name in the audit log; null for the operator of this machine. */
  readonly actor: string | null;
  /** How the actor was authenticated; undefined if that is not known. Decided once, when they are admitted. */
  readonly actorKind?: ActorKind | undefined;
  /** Channel and self-reported program of the caller; undefined if that is not known. */
  readonly source?: CallSource | undefined;
}

/** The operator of this machine, who may do everything: this user, who had nothing to prove. */
export const operator: Omit<Caller, 'profile'> = Object.freeze({
  principal: 'local',
  role: null,
  actor: null,
  actorKind: 'local',
});

/** The same, by the operator token or a session of the console. */
export const provenOperator: typeof operator = Object.freeze({ ...operator, actorKind: 'operator' });

/** The same, by the configured `authToken`. */
export const tokenOperator: typeof operator = Object.freeze({ ...operator, actorKind: 'auth_token' });

export interface Call {
  readonly kind: CallKind;
  /** Canonical id or alias. */
  readonly id: string;
  /** Arguments of a tool or prompt; empty for a resource. */
  readonly args: JsonObject;
  /** As its caller gave them, where the approver may have changed them. */
  readonly givenArgs?: JsonObject;
  readonly correlation: Correlation;
  readonly caller: Caller;
  /** Aborts when the caller gives up. That does not end an execution that has a key. */
  readonly signal: AbortSignalLike;
  /** As the client gave it; null if it gave none. */
  readonly idempotencyKey: string | null;
  /** How long the caller waits for a person to decide, milliseconds; 0 for not at all. */
  readonly approvalWaitMs: number;
  /** The MCP client that calls; none for a caller over HTTP. */
  readonly client?: CallClient;
  /** Whether a caller over HTTP answers `roots/list` itself; else the configuration does. */
  readonly acceptsRoots?: true;
  /** Answers to the questions of an interim answer by their keys, bare results; given together with its state. */
  readonly inputResponses?: JsonObject;
  /** As an interim answer gave it. */
  readonly requestState?: string;
  /** For a call that may become a task: its caller need not wait for it then. */
  readonly task?: CallTask;
  /** The step of a batch that this call is, and the signal that ends the batch. */
  readonly batch?: { readonly stepId: string; readonly signal: AbortSignalLike };
}

export interface CallTask {
  /** Ends the call, even one that has a key. */
  readonly signal: AbortSignalLike;
  /** Whether to make a task of it as soon as it is sent. */
  readonly isPreferred: boolean;
  /** It goes on as a task from now on. */
  readonly become: () => void;
}

/**
 * How a call ended. A call always ends in an envelope. `dataText` is the JSON text of its data, where that is passed on as
 * the upstream has written it.
 */
export type Outcome =
  /** It ran, or was refused. */
  | {
      readonly kind: 'answered';
      readonly envelope: Envelope;
      readonly dataText?: string | undefined;
      /** It waits at its upstream for its caller to come back. */
      readonly isPaused?: true;
      /** The rest of each limit of the budgets that counted it; undefined if none did. */
      readonly budgetsLeft?: BudgetsLeft;
    }
  /** It was not run, since its key has been used: this is the stored answer. */
  | { readonly kind: 'replayed'; readonly envelope: Envelope; readonly dataText?: string | undefined }
  /** It goes on as a task. */
  | { readonly kind: 'task'; readonly envelope: Envelope; readonly dataText?: undefined; readonly task: TaskRecord }
  /** A person has to decide first. */
  | {
      readonly kind: 'pending';
      readonly envelope: ErrorEnvelope;
      readonly dataText?: undefined;
      readonly approvalId: string;
    };

/** Amounts as answers write them, by budgets and their measures. It is a function, since most channels do not show them. */
export type BudgetsLeft = () => ReadonlyMap<string, Readonly<Partial<Record<BudgetMeasure, number>>>>;

export interface FailureOptions {
  /** Where it is not what the error table says of the code. */
  readonly retryable?: boolean;
  readonly rpcError?: RpcError;
  /** The rule that refuses it, as records name it. */
  readonly rule?: string;
  /** Why exactly, as a word for programs. */
  readonly reason?: ErrorReason | undefined;
  /** The next step for the caller. */
  readonly hint?: string | undefined;
  /** Path of the argument that is not valid, for the record. */
  readonly argument?: string | undefined;
  /** After which the call may run again, seconds. */
  readonly retryAfterSecs?: number | undefined;
  /** The budget that is used up. */
  readonly budget?: BudgetRefusal | undefined;
}

/** A failure that also knows what it means for a repeat. */
export class CallFailure extends PorticoError {
  readonly retry: RetryMetadata;
  readonly retryable: boolean | undefined;
  /** The JSON-RPC error that the upstream answered with. */
  readonly rpcError: RpcError | undefined;
  readonly rule: string | undefined;
  readonly reason: ErrorReason | undefined;
  readonly hint: string | undefined;
  /** Path of the argument that is not valid, for the record. */
  readonly argument: string | undefined;
  readonly retryAfterSecs: number | undefined;
  readonly budget: BudgetRefusal | undefined;

  constructor(code: ErrorCode, message: string, retry: RetryMetadata = nothingSent, options: FailureOptions = {}) {
    super(code, message);
    this.name = 'CallFailure';
    this.retry = retry;
    this.retryable = options.retryable;
    this.rpcError = options.rpcError;
    this.rule = options.rule;
    this.reason = options.reason;
    this.hint = options.hint;
    this.argument = options.argument;
    this.retryAfterSecs = options.retryAfterSecs;
    this.budget = options.budget;
  }
}
