// A transport carries JSON-RPC messages to one server. It frames and delivers; it knows nothing of replies or eras.
import type { Settle } from '@portico/async';
import type { FrameChannel } from '@portico/upstream-pool';
import type { ParseMessages } from './server-work.js';
import type { RpcId, RpcMessage, RpcRequest } from './wire.js';

export interface Transport {
  /** Process id of the child, for stdio. */
  readonly pid?: number;
  /** Each reply has a stream of its own, which can be dropped (streamable HTTP). */
  readonly hasReplyStreams: boolean;
  /** The session id of a streamable HTTP server of 2025-11-25, once `initialize` was answered. */
  sessionId(): string | undefined;
  /**
   * Sends a request. The reply comes through `onMessage`; what waits for it is rejected with an UpstreamFailure where none
   * will come. The returned function lets go of the reply: its stream is closed and nothing is reported any more. There is
   * none if there is nothing to let go of.
   */
  request(
    message: RpcRequest,
    waiting: Pick<Settle<never>, 'reject'>,
    headers: Readonly<Record<string, string>>,
  ): (() => void) | undefined;
  /** Sends a notification or a reply of ours. Resolves also when it could not be sent: no caller could act on that. */
  send(message: RpcMessage): Promise<void>;
  /** Passes on the negotiated revision. */
  settle(revision: string): void;
  /** Opens the stream for what a server of 2025-11-25 sends unasked, where the transport needs one. */
  listen(): void;
  /** Ends everything the transport holds. Safe to call twice; never rejects. */
  close(): Promise<void>;
}

export interface TransportEvents {
  /**
   * @param related the request on whose reply stream it came; none if there is one stream for everything
   * @param length of the text that it came in
   */
  readonly onMessage: (message: RpcMessage, related?: RpcId | null, length?: number) => void;
  /** The connection ended by itself. At most once, and not after `close()`. */
  readonly onClosed: (reason: string) => void;
  /** Something the server sends unasked may have been missed. */
  readonly onGap: () => void;
  readonly onLog: (line: string) => void;
  /** In place of `parseMessages` for texts of more than `smallMessage` characters. */
  readonly parseLarge?: ParseMessages;
  /** The owner of these messages, for a wire log. By default no wire log is written. */
  readonly frames?: FrameChannel | undefined;
}

/** A line for the log of a server, cut to a length a person may want to read. */
export const maxLogLineBytes = 8 * 1024;

/** Messages above this are a fault of the server, not something to hold in memory. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** How long an HTTP server may take to accept what it does not answer. Longer waits would only pile up sockets. */
export const defaultSendMs = 1_000;
