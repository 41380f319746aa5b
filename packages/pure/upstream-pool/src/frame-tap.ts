// The port to a wire log: receives the JSON-RPC messages between Portico and its servers while a reader is connected.
import type { JsonObject } from '@portico/contracts';

/** A JSON-RPC message as far as a wire log looks at it. */
export interface FrameMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Takes messages in. Neither function throws, and neither may take long: a call waits for it. */
export interface FrameRecorder {
  /** @param text that the message is sent as */
  sent(channel: FrameChannel, message: FrameMessage, text: string): void;
  /**
   * @param messages of one text: several for a batch, none for what is no message that could be taken
   * @param related the request on whose reply stream it came, where each reply has one
   */
  received(
    channel: FrameChannel,
    messages: readonly FrameMessage[],
    text: string,
    related: number | string | null,
  ): void;
}

/** Whether messages are recorded now. Read for each message, so that recording begins and ends on open connections. */
export interface FrameTap {
  recorder: FrameRecorder | undefined;
}

/** One connection to a server. Ids of requests count for one connection. */
export interface FrameChannel {
  readonly server: string;
  readonly tap: FrameTap;
}
