// Receivers of notices about tickets, in the resolved configuration. Secrets are names of environment variables only.
import type { approvalEvents } from '../wire/approvals.js';

interface ReceiverCommon {
  readonly name: string;
  readonly events: readonly (typeof approvalEvents)[number][];
  /** Patterns of capability ids. */
  readonly match: readonly string[];
  readonly showsArguments: boolean;
}

export interface NtfyReceiver extends ReceiverCommon {
  readonly format: 'ntfy';
  /** URL of the server, without a topic. */
  readonly url: string;
  /** One of the two is there. */
  readonly topic: string | null;
  readonly topicEnv: string | null;
  readonly tokenEnv: string | null;
}

export interface SlackReceiver extends ReceiverCommon {
  readonly format: 'slack';
  /** Names the variable that holds the address. */
  readonly urlEnv: string;
}

export interface TelegramReceiver extends ReceiverCommon {
  readonly format: 'telegram';
  /** URL of the Bot API server. */
  readonly url: string;
  readonly tokenEnv: string;
  readonly chatId: string;
}

export type NoticeReceiver = NtfyReceiver | SlackReceiver | TelegramReceiver;

/** How people learn of tickets, and where the links lead. */
export interface ApprovalsConfig {
  /** Origin of the console, without a slash at its end; null for the address that the daemon listens on. */
  readonly publicUrl: string | null;
  readonly notices: readonly NoticeReceiver[];
}

/** Values of `approvals` that a configuration leaves out: no public address, no notices. */
export const defaultApprovals: ApprovalsConfig = Object.freeze({ publicUrl: null, notices: Object.freeze([]) });
