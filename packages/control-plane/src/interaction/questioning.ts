// How a question of a server of 2025-11-25 reaches whoever can answer it: the caller while it waits, the caller when it
// comes back, or nobody.
import { untilAborted } from '@portico/async';
import { isAtLeast, isJsonObject, type JsonObject, tasksExtension } from '@portico/contracts';
import { type Dialogue, type Question, QuestionRefused } from '@portico/upstream-pool';
import type { CallTask } from '../call/call.js';
import type { CallClient } from '../call/client.js';
import type { Operation } from '../call/operations.js';
import { canAnswer, capabilitiesOf } from './answerable.js';

/** Who is on the line: changes when another request takes the call up. */
export interface Line {
  client: CallClient | undefined;
  operation: Operation;
  task: CallTask | undefined;
  /** The upstream has made a task of the call, which has a time of its own. */
  isTask: boolean;
}

/** Asks while the call runs. The deadline stands still: nobody is to be hurried but the upstream. */
export async function askLive(line: Line, question: Question, signal: AbortSignal): Promise<JsonObject> {
  const ask = line.client?.ask;
  if (ask === undefined) throw new QuestionRefused(methodNotFound, 'the caller cannot be asked while its call runs');
  const release = line.operation.hold();
  try {
    return await untilAborted(ask(question, signal), signal);
  } finally {
    release();
  }
}

/** The caller's side of a request. @param park puts a question to a caller that answers by coming back */
export function dialogueOf(
  line: Line,
  park: Dialogue['onQuestion'],
  unasked: Dialogue['onQuestion'],
  takesTasks: boolean,
): Dialogue {
  const { client } = line;
  const capabilities = capabilitiesOf(client);
  return {
    capabilities: takesTasks ? withTasks(capabilities) : capabilities,
    ...(client?.logLevel === undefined ? {} : { logLevel: client.logLevel }),
    ...(client?.onProgress === undefined ? {} : { onProgress: (progress) => line.client?.onProgress?.(progress) }),
    ...(client?.onLogMessage === undefined ? {} : { onLogMessage: (message) => tellLog(line.client, message) }),
    onQuestion(question, signal) {
      if (!canAnswer(capabilities, question)) return unasked(question, signal);
      return line.client?.ask === undefined ? park(question, signal) : askLive(line, question, signal);
    },
  };
}

function withTasks(capabilities: JsonObject): JsonObject {
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { ...(isJsonObject(extensions) ? extensions : {}), [tasksExtension]: {} } };
}

const methodNotFound = -32601;

/** What becomes of a question that nobody can be asked. @throws QuestionRefused */
export async function answerUnasked({ method }: Question): Promise<JsonObject> {
  if (method === 'roots/list') return { roots: [] };
  throw new QuestionRefused(methodNotFound, `${method}: the caller of this server cannot answer it`);
}

function tellLog(client: CallClient | undefined, message: JsonObject): void {
  if (client?.onLogMessage === undefined || client.logLevel === undefined) return;
  if (isAtLeast(message.level, client.logLevel)) client.onLogMessage(message);
}

/** The bare results among answers that a caller gave; what is no object is no answer. */
export function answersIn(responses: JsonObject | undefined): Readonly<Record<string, JsonObject>> {
  const entries = Object.entries(responses ?? {}).filter((entry): entry is [string, JsonObject] =>
    isJsonObject(entry[1]),
  );
  return Object.fromEntries(entries);
}
