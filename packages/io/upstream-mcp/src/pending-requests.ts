// Requests of ours that wait for their replies, by ids that count up.
import type { AbortSignalLike } from '@portico/async';
import {
  exactJson,
  isJsonObject,
  type JsonObject,
  mayHoldExact,
  membersOf,
  parseExact,
  standsFor,
  withoutMembers,
} from '@portico/contracts';
import type { ServerRequestHandler, SettleResult } from '@portico/upstream-pool';
import type { Askers } from './askers.js';
import type { ServerRequests } from './server-requests.js';
import { metaKeys, type RpcId } from './wire.js';

export interface RequestOptions {
  readonly signal: AbortSignalLike;
  /** Extra headers, for transports that have any. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Does not notify the server when the signal aborts (`initialize` must not be cancelled, MCP 2025-11-25). */
  readonly isSilentOnAbort?: boolean;
  /** The caller, who can be asked while the request runs. */
  readonly handler?: ServerRequestHandler | undefined;
  /** The error that the waiting caller gets in place of a failure. */
  readonly toFailure?: (error: unknown) => unknown;
}

/** The owner of the requests of one peer. */
export interface PendingPeer {
  readonly pending: PendingTable<PendingRequest>;
  readonly askers: Pick<Askers, 'watchers' | 'end' | 'explain'>;
  readonly serverRequests: Pick<ServerRequests, 'open' | 'ended'>;
  /** Sends `notifications/cancelled`, unless the end of a reply stream says it already. */
  readonly cancel: (id: RpcId, reason: unknown) => void;
}

/** A request that waits for its reply. With a handler it is a call, whose caller can be asked. */
export class PendingRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly handler: ServerRequestHandler | undefined;
  /** Takes the request back from the transport. */
  drop: (() => void) | undefined;
  readonly #peer: PendingPeer;
  readonly #options: RequestOptions;
  readonly #settle: SettleResult;

  constructor(
    peer: PendingPeer,
    id: number,
    method: string,
    params: JsonObject,
    options: RequestOptions,
    settle: SettleResult,
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.handler = options.handler;
    this.#peer = peer;
    this.#options = options;
    this.#settle = settle;
    peer.pending.add(this);
    options.signal.addEventListener('abort', this, { once: true });
  }

  /**
   * Its end, once it is out of the table: with a result, or else with the failure.
   * @param isAnswered whether the server has answered it @param length of the line that the reply came in
   * @param text that the result came as, where it is known
   */
  end(result: JsonObject | undefined, failure: unknown, isAnswered: boolean, length: number, text?: string): void {
    const { askers, serverRequests } = this.#peer;
    const { signal, toFailure } = this.#options;
    const settle = this.#settle;
    signal.removeEventListener('abort', this);
    const isAwaited = !isAnswered || serverRequests.open.size > 0 || askers.watchers.size > 0;
    if (isAwaited && isCall(this)) {
      askers.end(this, isAnswered);
      serverRequests.ended(this, isAnswered);
    }
    if (result === undefined) {
      const explained = isCall(this) ? askers.explain(this, failure) : failure;
      settle.reject(toFailure === undefined ? explained : toFailure(explained));
      return;
    }
    const isPlain = result.resultType === undefined && result._meta === undefined;
    // To read a large one has taken some milliseconds, as will what is done with it: in between everything else has its turn.
    // One immediate would still run in this pass of the event loop, before any timer.
    if (this.method === 'server/discover')
      settle.resolve(result); // who the server is stands in the envelope
    else if (length >= hugeReply) setTimeout(settleWith, length / readInMs, settle, result, text);
    else if (length >= largeReply) setImmediate(() => setImmediate(() => settleWith(settle, result, text)));
    else if (isPlain && text !== undefined && standsFor(text, result)) settle.resolve(result, text);
    else settleWith(settle, result, text);
  }

  /** No reply comes; does nothing after its end. */
  reject(error: unknown): void {
    if (this.#peer.pending.take(this.id) !== undefined) this.end(undefined, error, false, 0);
  }

  /** Its signal has aborted. */
  handleEvent(): void {
    const { signal, isSilentOnAbort } = this.#options;
    this.reject(signal.reason);
    this.drop?.(); // first, because the server may take its time with the notification, or never take it
    if (isSilentOnAbort !== true) this.#peer.cancel(this.id, signal.reason);
  }
}

const largeReply = 256 * 1024;
const hugeReply = 8 * 1024 * 1024;
/** Characters that are parsed in a millisecond, where it takes longest. */
const readInMs = 300_000;

function settleWith(settle: SettleResult, result: JsonObject, text: string | undefined): void {
  const bare = withoutEnvelope(result);
  settle.resolve(bare, text === undefined ? undefined : textOf(bare, result, text));
}

/**
 * The text of a result without its envelope. One in which a key is twice is written from its value, with its numbers as
 * the server wrote them; undefined if no number needs that. @param text the received text
 */
function textOf(bare: JsonObject, result: JsonObject, text: string): string | undefined {
  const came = bare === result ? text : textWithoutEnvelope(text, result, bare);
  if (came === undefined || standsFor(came, bare)) return came;
  const line = came.replace(/[\r\n]+/g, ' '); // they are between values: no string of JSON holds one
  if (standsFor(line, bare)) return line;
  const written = mayHoldExact.test(line) ? exactJson(parseExact(line)) : undefined;
  return written !== undefined && standsFor(written, bare) ? written : undefined;
}

/** A request that is made for a caller, who can be asked. */
export type PendingCall = PendingRequest & { readonly handler: ServerRequestHandler };

export function isCall(request: PendingRequest): request is PendingCall {
  return request.handler !== undefined;
}

/** Takes off what 2026-07-28 wraps around every result, so that results look alike in both eras. */
function withoutEnvelope(result: JsonObject): JsonObject {
  const isPlain =
    result.resultType !== 'complete' && !(isJsonObject(result._meta) && metaKeys.serverInfo in result._meta);
  if (isPlain) return result;
  const { resultType, _meta, ...rest } = result;
  const kept = resultType === 'complete' || resultType === undefined ? rest : { resultType, ...rest };
  if (!isJsonObject(_meta)) return _meta === undefined ? kept : { ...kept, _meta };
  const { [metaKeys.serverInfo]: _serverInfo, ...meta } = _meta;
  return Object.keys(meta).length === 0 ? kept : { ...kept, _meta: meta };
}

const completeText = '"resultType":"complete"';

/** The text of what `withoutEnvelope` leaves; undefined if a new one writes its numbers alike. @param text of `result` */
function textWithoutEnvelope(text: string, result: JsonObject, bare: JsonObject): string | undefined {
  const inner = withoutEnds(text.slice(1, -1), result, bare);
  if (inner !== undefined) return `{${inner}}`;
  if (!mayHoldExact.test(text)) return undefined;
  const kept = membersOf(text).flatMap(({ name, text: memberText, valueText }) => {
    if (name === 'resultType' && !('resultType' in bare)) return [];
    if (name !== '_meta') return [memberText];
    return isJsonObject(bare._meta) ? [`"_meta":${withoutMembers(valueText, [metaKeys.serverInfo])}`] : [];
  });
  return `{${kept.join()}}`;
}

/** As most servers write it: the envelope is first or last, so that nothing has to be looked for. */
function withoutEnds(members: string, { resultType, _meta }: JsonObject, bare: JsonObject): string | undefined {
  if (resultType !== 'complete' || bare._meta !== undefined) return undefined;
  if (_meta === undefined) return withoutEnd(members, completeText);
  const metaText = `"_meta":${JSON.stringify(_meta)}`;
  const inner = withoutEnd(members, metaText) ?? withoutEnd(members, completeText);
  return withoutEnd(inner, completeText) ?? withoutEnd(inner, metaText);
}

/** Members of an object without the one that is the first or the last of them. A comma before a member is never in a string. */
function withoutEnd(members: string | undefined, member: string): string | undefined {
  if (members === member) return '';
  if (members?.startsWith(`${member},`)) return members.slice(member.length + 1);
  return members?.endsWith(`,${member}`) ? members.slice(0, -member.length - 1) : undefined;
}

const slotCount = 256; // a power of two, more than usually wait at once

/**
 * Items by their ids. Each id is added and taken out once; V8 makes a new table for a Map after every few such pairs, and
 * the garbage of those tables costs more than the rest of a request. The slots here are used again.
 */
export class PendingTable<T extends { readonly id: number }> {
  readonly #slots: (T | undefined)[] = Array.from({ length: slotCount }, () => undefined);
  /** Requests whose slot a later one needed. */
  readonly #older = new Map<number, T>();

  add(item: T): void {
    const at = item.id & (slotCount - 1);
    const before = this.#slots[at];
    if (before !== undefined) this.#older.set(before.id, before);
    this.#slots[at] = item;
  }

  get(id: number): T | undefined {
    const item = this.#slots[id & (slotCount - 1)];
    return item?.id === id ? item : this.#older.get(id);
  }

  /** Gives one that was there, and has it no longer. */
  take(id: number): T | undefined {
    const at = id & (slotCount - 1);
    const item = this.#slots[at];
    if (item?.id === id) {
      this.#slots[at] = undefined;
      return item;
    }
    const older = this.#older.get(id);
    this.#older.delete(id);
    return older;
  }

  /** In the order of their ids. */
  all(): readonly T[] {
    const items = [...this.#older.values(), ...this.#slots.filter((item) => item !== undefined)];
    return items.sort((a, b) => a.id - b.id);
  }
}
