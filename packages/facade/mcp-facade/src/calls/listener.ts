// The client's side of a call while it runs: sends requests, progress and log messages on the request's own stream.
// Nothing is sent once the request has been answered.

import { CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY, ProtocolError } from '@modelcontextprotocol/server';
import { type AbortSignalLike, toAbortSignal } from '@portico/async';
import { isAtLeast, isJsonObject, type JsonObject, type JsonValue, tasksExtension } from '@portico/contracts';
import type { CallClient } from '@portico/control-plane';
import { ServerRequestRefused } from '@portico/upstream-pool';
import { anything } from './anything.js';
import type { Connection } from './connection.js';
import type { RequestContext } from './request-context.js';

export interface Listener {
  readonly client: CallClient;
  /** To be called when the request is over. */
  readonly end: () => void;
}

/** People take their time; the call's own deadlines and its signal end a question. */
const noTimeoutMs = 2 ** 31 - 1;

export function listenerOf(connection: Connection, context: RequestContext): Listener {
  const { mcpReq } = context;
  const level = connection.era === 'modern' ? textOf(envelopeOf(context)[LOG_LEVEL_META_KEY]) : connection.logLevel();
  const token = mcpReq._meta?.progressToken;
  let isOver = false;
  let lastProgress = Number.NEGATIVE_INFINITY;

  const notify = (method: string, params: JsonObject) => {
    if (isOver || mcpReq.signal.aborted) return;
    mcpReq.notify({ method, params }).catch(() => {}); // the stream has ended, and the call ends by its signal
  };
  const onProgress = (progress: JsonObject) => {
    const { progress: value } = progress;
    if (typeof value !== 'number' || !(value > lastProgress)) return; // must increase (MCP, basic/patterns/progress)
    lastProgress = value;
    notify('notifications/progress', { ...progress, progressToken: token });
  };
  const capabilities =
    connection.era === 'modern'
      ? objectOf(envelopeOf(context)[CLIENT_CAPABILITIES_META_KEY])
      : connection.capabilities();
  // Members are there only for what the client can do.
  const client: { -readonly [Name in keyof CallClient]: CallClient[Name] } = { capabilities };
  if (takesTasks(context)) client.takesTasks = true;
  if (connection.era === 'legacy') client.ask = (question, signal) => ask(context, question, signal);
  if (token !== undefined) client.onProgress = onProgress;
  if (level !== undefined) {
    client.logLevel = level;
    client.onLogMessage = (message) => {
      if (isAtLeast(message.level, level)) notify('notifications/message', message);
    };
  }
  return {
    client,
    end() {
      isOver = true;
    },
  };
}

type Ask = NonNullable<CallClient['ask']>;

async function ask(
  { mcpReq }: RequestContext,
  { method, params }: Parameters<Ask>[0],
  signal: AbortSignalLike,
): Promise<JsonObject> {
  try {
    const options = { signal: toAbortSignal(signal), timeout: noTimeoutMs };
    const answer: unknown = await mcpReq.send(
      { method, params } as Parameters<typeof mcpReq.send>[0],
      anything,
      options,
    );
    return isJsonObject(answer) ? answer : {};
  } catch (error) {
    if (error instanceof ProtocolError) throw new ServerRequestRefused(error.code, error.message);
    throw error;
  }
}

/** Whether the request declares that its client can be given a task for an answer. */
export function takesTasks(context: RequestContext): boolean {
  const { extensions } = objectOf(envelopeOf(context)[CLIENT_CAPABILITIES_META_KEY]);
  return isJsonObject(extensions) && isJsonObject(extensions[tasksExtension]);
}

/** The client fields of a 2026-07-28 request. */
function envelopeOf({ mcpReq }: RequestContext): JsonObject {
  return objectOf(mcpReq.envelope as JsonValue | undefined); // JSON, as the whole message is
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
