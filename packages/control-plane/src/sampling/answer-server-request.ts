// What a server asks while a call runs, put to its caller; a request for a message of a model gets a ticket as well.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { ServerRequest, UpstreamListener } from '@portico/upstream-pool';
import type { Call } from '../call/call.js';
import { canAnswer, capabilitiesOf } from '../interaction/answerable.js';
import { answerUnasked, askLive, type CallerChannel } from '../interaction/questioning.js';
import type { AskCaller } from './ask.js';
import type { Sampling } from './sampling.js';

/** Whose question it is: the server that asks, and the call that it asks for; null for none. */
export interface Asking {
  readonly sampling: Sampling;
  readonly serverId: string;
  readonly call: Pick<Call, 'correlation' | 'caller'> | null;
}

function isSampling({ method }: ServerRequest): boolean {
  return method === 'sampling/createMessage';
}

/** @param askCaller puts the question to the caller; absent where there is none that can be asked @throws ServerRequestRefused */
async function askTicketed(
  { sampling, serverId, call }: Asking,
  { params: { _meta, ...params } }: ServerRequest,
  askCaller: AskCaller | undefined,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const correlation = call?.correlation ?? null;
  const principal = call?.caller.principal ?? null;
  return sampling.ask({ serverId, params, origin: 'upstream', correlation, principal }, askCaller, signal);
}

/** The caller's side of a request at an upstream. */
export interface Asked extends CallerChannel {
  readonly asking: Asking;
  /** What the caller can be asked. */
  readonly capabilities: JsonObject;
  /** Puts a question to a caller that answers by coming back. */
  park(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject>;
}

/** Puts what a server asks to the caller, with a ticket for what it asks of a model. @throws ServerRequestRefused */
export async function answerServerRequest(
  asked: Asked,
  question: ServerRequest,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const { asking, capabilities } = asked;
  const isAnswerable = canAnswer(capabilities, question);
  if (!isSampling(question)) return isAnswerable ? askCaller(asked, question, signal) : answerUnasked(question);
  if (!isAnswerable) return askNobody(asking, asked, question, signal);
  return askTicketed(asking, question, (over, left) => askOrLeave(asked, question, over, left), signal);
}

/** A caller that would have to come back is not asked while the provider may answer; its deadline stands still. */
async function askOrLeave(
  asked: Asked,
  question: ServerRequest,
  signal: AbortSignalLike,
  left: Promise<void> | undefined,
): Promise<JsonObject> {
  if (left !== undefined && asked.client?.ask === undefined) await held(asked, left);
  return askCaller(asked, question, signal);
}

/** While the call runs, or for the next turn where its caller does not listen. */
function askCaller(asked: Asked, question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
  const isListening = asked.client?.ask !== undefined;
  return isListening ? askLive(asked, question, signal) : asked.park(question, signal);
}

/** One question of those that a server of 2026-07-28 has answered with, to a caller that answers at once. */
export function askInRound(
  asking: Asking,
  channel: CallerChannel,
  question: ServerRequest,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const askNow = (over: AbortSignalLike) => askLive(channel, question, over);
  const isAnswerable = canAnswer(capabilitiesOf(channel.client), question);
  if (!isSampling(question)) return isAnswerable ? askNow(signal) : answerUnasked(question);
  return isAnswerable ? askTicketed(asking, question, askNow, signal) : askNobody(asking, channel, question, signal);
}

/** What servers ask outside of calls: only those who answer tickets can be asked. */
export function answerOutside(sampling: () => Sampling): UpstreamListener['onServerRequest'] {
  return (serverId, question, signal) =>
    isSampling(question)
      ? askTicketed({ sampling: sampling(), serverId, call: null }, question, undefined, signal)
      : answerUnasked(question);
}

/** A caller that cannot sample is not asked: the ticket alone waits, and the deadline of the call with it. */
async function askNobody(
  asking: Asking,
  channel: CallerChannel,
  question: ServerRequest,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  return held(channel, askTicketed(asking, question, undefined, signal));
}

/** Waits while the deadline of the call stands still. */
async function held<T>({ operation }: CallerChannel, waiting: Promise<T>): Promise<T> {
  const release = operation.hold();
  try {
    return await waiting;
  } finally {
    release();
  }
}
