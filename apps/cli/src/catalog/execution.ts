// Shared by call, read and prompt: ids, Ctrl-C, questions during the call, and the printed result.
import { randomUUID } from 'node:crypto';
import type { CallOptions } from '@portico/client';
import type { JsonObject, JsonValue, QuestionKind, SuccessEnvelope } from '@portico/contracts';
import type { Command } from 'commander';
import type { Session } from '../command.js';
import { CommandFailure, exitCodes } from '../failures.js';
import { openTerminal } from '../input/ask.js';
import { parseObject } from '../input/json-arguments.js';
import { collect, toPositive } from '../input/numbers.js';
import { isObject } from '../is-object.js';
import type { Output } from '../output/output.js';
import { isToolError, showData } from '../output/show-result.js';
import { answerInputRequests } from './answer-input-requests.js';
import { waitForApproval } from './wait-for-approval.js';

export interface ExecutionOptions {
  readonly key?: string;
  readonly requestId?: string;
  readonly wait?: number;
  readonly inputResponses?: string;
  readonly requestState?: string;
  readonly acceptInput?: readonly string[];
  readonly raw?: true;
  readonly json?: true;
}

export function addExecutionFlags(command: Command): Command {
  return command
    .option('--key <key>', 'idempotency key: the call runs once, for any number of repeats')
    .option('--request-id <id>', 'the id for "portico cancel" (default: a random one)')
    .option('--wait <seconds>', 'wait this long if a person has to approve first', toPositive)
    .option('--input-responses <json>', 'answers to the questions of a server, by their keys')
    .option('--request-state <state>', 'the state that came with the questions')
    .option('--accept-input <kind>', 'answer questions of this kind too: roots', collect)
    .option('--raw', 'print texts without a line end of its own; control characters go into pipes only');
}

/** Fields of the body that go with every request of one operation. */
export interface Repeat {
  readonly request_id: string;
  readonly idempotency_key?: string;
  readonly input_responses?: JsonObject;
  readonly request_state?: string;
  /** Kinds of questions, which the service checks. */
  readonly accept_input?: QuestionKind[];
}

export type Execute = (repeat: Repeat, options: CallOptions) => Promise<SuccessEnvelope>;

/** Until there is an answer that is no question. Ctrl-C ends it at the service as well. */
export async function execute(session: Session, options: ExecutionOptions, send: Execute): Promise<SuccessEnvelope> {
  const { client, output, stopped } = session;
  stopped.throwIfAborted(); // while the arguments were read
  const requestId = options.requestId ?? `cli-${randomUUID()}`;
  let cancelled: Promise<unknown> | undefined;
  const cancel = () => {
    cancelled ??= client.cancelOperation(requestId, { signal: AbortSignal.timeout(cancelMs) }).catch(() => {});
  };
  stopped.addEventListener('abort', cancel, { once: true });
  const clear = output.progress(`running ${requestId} (Ctrl-C cancels)`);
  try {
    const head = headOf(requestId, options);
    let answer = await waitForApproval(session, options.wait, (waitSecs) => send(head, { waitSecs }));
    for (;;) {
      const question = questionOf(answer);
      if (question === undefined || output.isJson) return answer;
      clear();
      const responses = await respond(question, output, stopped).catch((error: unknown) => {
        cancel(); // without an answer the call would wait at its server
        throw error;
      });
      const repeat = { ...head, input_responses: responses, request_state: question.requestState };
      answer = await waitForApproval(session, options.wait, (waitSecs) => send(repeat, { waitSecs }));
    }
  } finally {
    clear();
    stopped.removeEventListener('abort', cancel);
    await cancelled; // a command that has ended sends nothing any more
  }
}

/** By the person at the terminal; without one what may be declined is. @throws CommandFailure if it may not */
async function respond(question: Question, output: Output, stopped: AbortSignal): Promise<JsonObject> {
  const { inputRequests } = question;
  const terminal = openTerminal(stopped);
  if (terminal !== undefined)
    return answerInputRequests(inputRequests, terminal.ask, output.note).finally(terminal.close);
  const asked = Object.entries(inputRequests).map(([key, request]) => ({ key, ...toQuestion(request) }));
  for (const { text } of asked) output.note(`the server asks: ${text}`);
  if (!asked.every(({ method }) => method === 'elicitation/create'))
    throw new CommandFailure(`there is no terminal to answer on: the call was cancelled; ${howToAnswer}`);
  output.note(`there is no terminal to answer on: declined; ${howToAnswer}`);
  return Object.fromEntries(asked.map(({ key }) => [key, { action: 'decline' }]));
}

function toQuestion(request: JsonValue | undefined): { readonly method: string; readonly text: string } {
  const { method, params } = isObject(request) ? request : {};
  const message = isObject(params) && typeof params.message === 'string' ? params.message : String(method);
  return { method: String(method), text: message };
}

const howToAnswer = '--json prints the question and its state, for --input-responses and --request-state';
/** How long a command that was stopped waits until its service knows. */
const cancelMs = 2000;

function headOf(requestId: string, options: ExecutionOptions): Repeat {
  const { key, inputResponses, requestState, acceptInput } = options;
  return {
    request_id: requestId,
    ...(key === undefined ? {} : { idempotency_key: key }),
    ...(inputResponses === undefined ? {} : { input_responses: parseObject(inputResponses, '--input-responses') }),
    ...(requestState === undefined ? {} : { request_state: requestState }),
    ...(acceptInput === undefined ? {} : { accept_input: [...acceptInput] as QuestionKind[] }),
  };
}

/** @returns the exit code */
export function showAnswer({ output }: Session, answer: SuccessEnvelope, isRaw = false): number {
  const question = questionOf(answer);
  output.answer(answer, () => showData(output, answer.data, isRaw));
  if (question !== undefined) {
    output.note('the server asks something before it answers: repeat this command with');
    output.note(`--request-state and --input-responses JSON for: ${Object.keys(question.inputRequests).join(', ')}`);
    return exitCodes.failed;
  }
  if (!isToolError(answer.data)) return exitCodes.ok;
  output.note('the tool says that it has failed');
  return exitCodes.failed;
}

interface Question {
  readonly inputRequests: JsonObject;
  readonly requestState: string;
}

export function questionOf({ data }: SuccessEnvelope): Question | undefined {
  if (!isObject(data) || data.resultType !== 'input_required' || !isObject(data.inputRequests)) return undefined;
  return { inputRequests: data.inputRequests, requestState: String(data.requestState ?? '') };
}
