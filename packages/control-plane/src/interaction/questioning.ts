// Routes a question of a server of 2025-11-25: to the caller while it waits, to the caller when it comes back, or to no
// one.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import { isAtLeast, isJsonObject, type JsonObject, tasksExtension } from '@portico/contracts';
import { type ServerRequest, ServerRequestRefused } from '@portico/upstream-pool';
import type { CallClient } from '../call/client.js';
import type { Operation } from '../call/operations.js';

/** The caller that a running request reaches: another one once that resumes the call. */
export interface CallerChannel {
  readonly client: CallClient | undefined;
  readonly operation: Pick<Operation, 'hold'>;
}

/** Asks while the call runs. The deadline stands still: it is for the upstream, not for people. */
export async function askLive(
  channel: CallerChannel,
  question: ServerRequest,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const ask = channel.client?.ask;
  if (ask === undefined)
    throw new ServerRequestRefused(methodNotFound, 'the caller cannot be asked while its call runs');
  const release = channel.operation.hold();
  try {
    return await untilAborted(ask(question, signal), signal);
  } finally {
    release();
  }
}

/** The capabilities that a server may use during a request of a caller that takes tasks. */
export function withTasks(capabilities: JsonObject): JsonObject {
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { ...(isJsonObject(extensions) ? extensions : {}), [tasksExtension]: {} } };
}

const methodNotFound = -32601;

/** Passes log messages on to the caller that the request reaches then, where it wants messages that are as severe. */
export function passLogMessages(channel: CallerChannel): (message: JsonObject) => void {
  return (message) => {
    const { client } = channel;
    if (client?.onLogMessage === undefined || client.logLevel === undefined) return;
    if (isAtLeast(message.level, client.logLevel)) client.onLogMessage(message);
  };
}

/** The bare results among answers that a caller gave; what is no object is no answer. */
export function answersIn(responses: JsonObject | undefined): Readonly<Record<string, JsonObject>> {
  const entries = Object.entries(responses ?? {}).filter((entry): entry is [string, JsonObject] =>
    isJsonObject(entry[1]),
  );
  return Object.fromEntries(entries);
}
