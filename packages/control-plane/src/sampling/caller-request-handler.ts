// What a server asks while a call runs, put to its caller; a request for a message of a model gets a ticket as well.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { ServerRequest, ServerRequestHandler, UpstreamListener } from '@portico/upstream-pool';
import type { Call } from '../call/call.js';
import { canAnswer, capabilitiesOf } from '../interaction/answerable.js';
import {
  answerUnasked,
  askLive,
  type CallerChannel,
  capabilitiesFor,
  passLogMessage,
} from '../interaction/questioning.js';
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

/** The caller's side of a request, with tickets for what the server asks of a model. */
export class CallerRequestHandler implements ServerRequestHandler {
  readonly capabilities: JsonObject;
  readonly logLevel: ServerRequestHandler['logLevel'];
  readonly onProgress: ServerRequestHandler['onProgress'];
  readonly onLogMessage: ServerRequestHandler['onLogMessage'];
  readonly #asking: Asking;
  readonly #channel: CallerChannel;
  readonly #answerable: JsonObject;
  readonly #park: ServerRequestHandler['onServerRequest'];

  /** @param park puts a question to a caller that answers by coming back */
  constructor(asking: Asking, channel: CallerChannel, park: ServerRequestHandler['onServerRequest']) {
    const { client, task } = channel;
    this.#asking = asking;
    this.#channel = channel;
    this.#park = park;
    this.#answerable = capabilitiesOf(client);
    this.capabilities = capabilitiesFor(client, task !== undefined);
    this.logLevel = client?.logLevel;
    if (client?.onProgress !== undefined) this.onProgress = (progress) => channel.client?.onProgress?.(progress);
    if (client?.onLogMessage !== undefined) this.onLogMessage = (message) => passLogMessage(channel.client, message);
  }

  async onServerRequest(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    const isAnswerable = canAnswer(this.#answerable, question);
    if (!isSampling(question)) return isAnswerable ? this.#ask(question, signal) : answerUnasked(question);
    if (!isAnswerable) return askNobody(this.#asking, this.#channel, question, signal);
    return askTicketed(this.#asking, question, (over) => this.#ask(question, over), signal);
  }

  /** While the call runs, or for the next turn where its caller does not listen. */
  #ask(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    const isListening = this.#channel.client?.ask !== undefined;
    return isListening ? askLive(this.#channel, question, signal) : this.#park(question, signal);
  }
}

/** One question of those that a server of 2026-07-28 has answered with, to a caller that answers at once. */
export function askInRound(
  asking: Asking,
  channel: CallerChannel,
  question: ServerRequest,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const askCaller: AskCaller = (over) => askLive(channel, question, over);
  const isAnswerable = canAnswer(capabilitiesOf(channel.client), question);
  if (!isSampling(question)) return isAnswerable ? askCaller(signal) : answerUnasked(question);
  return isAnswerable ? askTicketed(asking, question, askCaller, signal) : askNobody(asking, channel, question, signal);
}

/** What servers ask outside of calls: nobody is there but those who answer tickets. */
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
  const release = channel.operation.hold();
  try {
    return await askTicketed(asking, question, undefined, signal);
  } finally {
    release();
  }
}
