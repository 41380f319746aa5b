// Answers a question of a server during a call by asking its caller; a sampling request gets a ticket as well.
// Questions that the caller does not support are answered from the configuration, or refused at once.
import type { AbortSignalLike } from '@portico/async';
import { allClientCapabilities, type Config, type JsonObject, type RefusalReason } from '@portico/contracts';
import { canAnswer, type ServerRequest, type UpstreamListener } from '@portico/upstream-pool';
import type { Call } from '../call/call.js';
import { capabilitiesOf, isAsked } from '../interaction/answerable.js';
import { askLive, type CallerChannel } from '../interaction/questioning.js';
import { refusalOf } from '../interaction/refusal.js';
import type { AskCaller } from './ask.js';
import type { Sampling } from './sampling.js';

/** The origin of a question: the server that asks, and the call that it asks for; null outside of a call. */
export interface Asking {
  readonly sampling: Sampling;
  readonly serverId: string;
  readonly call: Pick<Call, 'correlation' | 'caller' | 'client' | 'acceptsRoots'> | null;
  /** The configuration now. */
  readonly config: Pick<Config, 'sampling' | 'roots' | 'servers'>;
  /** Called when the question is refused. */
  readonly onRefused: (question: ServerRequest, reason: RefusalReason) => void;
}

/** The caller's side of a request at an upstream. */
export interface Asked extends CallerChannel {
  readonly asking: Asking;
  /** Puts a question to a caller that answers by coming back. */
  park(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject>;
}

/** Puts what a server asks to the caller, with a ticket for what it asks of a model. @throws ServerRequestRefused */
export async function answerServerRequest(
  asked: Asked,
  question: ServerRequest,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  return answer(asked.asking, asked, question, signal, {
    ask: (over) => askCaller(asked, question, over),
    isBack: asked.client?.ask === undefined,
  });
}

/** One question of those that a server of 2026-07-28 has answered with, to a caller that answers at once. */
export async function askInRound(
  asking: Asking,
  channel: CallerChannel,
  question: ServerRequest,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const ask = (over: AbortSignalLike) => askLive(channel, question, over);
  return answer(asking, channel, question, signal, { ask, isBack: false });
}

/** Questions of servers outside of calls, or of undeclared kinds: only people who answer tickets can be asked. */
export function answerOutside(
  on: (serverId: string) => Omit<Asking, 'serverId' | 'call'>,
): UpstreamListener['onServerRequest'] {
  return async (serverId, question, signal) => {
    const asking: Asking = { ...on(serverId), serverId, call: null };
    refuseUndeclared(asking, question);
    if (question.method === 'roots/list') return configuredRoots(asking);
    if (question.method !== 'sampling/createMessage') throw refused(asking, question, 'outside_of_calls');
    return askTicketed(asking, question, undefined, signal);
  };
}

/** How a caller is asked. */
interface Way {
  readonly ask: (signal: AbortSignalLike) => Promise<JsonObject>;
  /** Whether it would have to come back, and is therefore not asked while the provider may answer. */
  readonly isBack: boolean;
}

/** @throws ServerRequestRefused */
function answer(
  asking: Asking,
  channel: CallerChannel,
  question: ServerRequest,
  signal: AbortSignalLike,
  { ask, isBack }: Way,
): Promise<JsonObject> | JsonObject {
  refuseUndeclared(asking, question);
  const canBeAsked = asking.call !== null && isAsked(asking.call, question);
  if (question.method === 'sampling/createMessage') {
    if (!canBeAsked) return sampleWithoutCaller(asking, channel, question, signal);
    const askLater: AskCaller = async (over, left) => {
      if (left !== undefined && isBack) await held(channel, left);
      return ask(over);
    };
    return askTicketed(asking, question, askLater, signal);
  }
  if (canBeAsked) return ask(signal);
  if (question.method === 'roots/list') return configuredRoots(asking);
  throw refused(asking, question, 'caller_cannot_answer');
}

/**
 * A caller that cannot sample is not asked. A ticket waits where its caller is over HTTP or the operator wants it so, and
 * the deadline of the call with it; else the provider is waited for, and where there is none, or it fails, the question is
 * refused: the server does without at once.
 */
function sampleWithoutCaller(
  asking: Asking,
  channel: CallerChannel,
  question: ServerRequest,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const { tickets, provider } = asking.config.sampling;
  if (tickets === 'always' || asking.call?.client?.isOverHttp === true)
    return held(channel, askTicketed(asking, question, undefined, signal));
  if (provider === null) throw refused(asking, question, 'caller_cannot_answer');
  const refuseLater: AskCaller = async (_over, left) => {
    await left;
    throw refused(asking, question, 'caller_cannot_answer');
  };
  return held(channel, askTicketed(asking, question, refuseLater, signal));
}

/** The configured roots, if the caller cannot be asked for them and the capability was declared to the server. */
export function rootsInPlaceOf(asking: Asking, question: ServerRequest): JsonObject | undefined {
  if (asking.call === null || isAsked(asking.call, question) || !isDeclared(asking, question)) return undefined;
  return configuredRoots(asking);
}

function configuredRoots({ config }: Asking): JsonObject {
  return { roots: config.roots.map((root) => ({ ...root })) };
}

/** @throws ServerRequestRefused for what the configuration of the server leaves out */
function refuseUndeclared(asking: Asking, question: ServerRequest): void {
  if (!isDeclared(asking, question)) throw refused(asking, question, 'not_declared_to_server', declaredTo(asking));
}

function isDeclared(asking: Asking, question: ServerRequest): boolean {
  return canAnswer(declaredTo(asking), question);
}

/** The capabilities that were declared to the server. */
function declaredTo({ config, serverId }: Asking): JsonObject {
  return config.servers.get(serverId)?.clientCapabilities ?? allClientCapabilities;
}

function refused(
  { call, onRefused }: Asking,
  question: ServerRequest,
  reason: RefusalReason,
  capabilities = call === null ? {} : capabilitiesOf(call.client),
) {
  onRefused(question, reason);
  return refusalOf(question, reason, capabilities);
}

/** @param askCaller puts the question to the caller; absent if there is none that can be asked @throws ServerRequestRefused */
async function askTicketed(
  { sampling, serverId, call }: Asking,
  { params: { _meta, ...params } }: ServerRequest,
  ask: AskCaller | undefined,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const correlation = call?.correlation ?? null;
  const principal = call?.caller.principal ?? null;
  return sampling.ask({ serverId, params, origin: 'upstream', correlation, principal }, ask, signal);
}

/** While the call runs, or for the next turn where its caller does not listen. */
function askCaller(asked: Asked, question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
  const isListening = asked.client?.ask !== undefined;
  return isListening ? askLive(asked, question, signal) : asked.park(question, signal);
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
