// One try at a connection: a transport and a peer wired together, and a handshake that leaves nothing behind when it
// fails.
import type { AbortSignalLike } from '@portico/async';
import { allClientCapabilities, type JsonObject } from '@portico/contracts';
import { type FrameChannel, type ServerRequest, UpstreamFailure } from '@portico/upstream-pool';
import type { AskingMemory } from './asking-memory.js';
import { messageOf, unreachable } from './failures.js';
import type { Agreement, Connection } from './negotiate.js';
import { createRpcPeer } from './rpc-peer.js';
import type { ParseMessages } from './server-work.js';
import type { Transport, TransportEvents } from './transport.js';
import type { ClientInfo } from './wire.js';

export interface AttemptEvents {
  readonly onNotification: (method: string, params: JsonObject, isOfCall: boolean) => void;
  readonly onServerRequest: (question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;
  readonly onClosed: (reason: string) => void;
  readonly onGap: () => void;
  readonly onLog: (line: string) => void;
}

export interface Attempt {
  readonly clientInfo: ClientInfo;
  /** Client capabilities that are declared to the server; every bridged one by default. */
  readonly declared?: JsonObject | undefined;
  readonly events: AttemptEvents;
  readonly parseLarge: ParseMessages;
  /** Owner and place of the messages in a wire log. By default no wire log is written. */
  readonly frames?: FrameChannel | undefined;
  /** The calls of the server that ask. */
  readonly memory?: AskingMemory | undefined;
  readonly signal: AbortSignalLike;
  readonly openTransport: (events: TransportEvents) => Transport | Promise<Transport>;
  readonly negotiate: (connection: Connection) => Promise<Agreement>;
}

export type Established = Connection & { readonly agreement: Agreement };

/** @throws UpstreamFailure, after the transport is closed again. */
export async function establish({
  clientInfo,
  declared = allClientCapabilities,
  events,
  parseLarge,
  frames,
  memory,
  signal,
  openTransport,
  negotiate,
}: Attempt): Promise<Established> {
  let transport: Transport | undefined;
  const peer = createRpcPeer({
    clientInfo,
    declared,
    onNotification: events.onNotification,
    onServerRequest: events.onServerRequest,
    memory,
    onDefect: (error) => events.onLog(`a message could not be taken: ${messageOf(error)}`),
    transport() {
      if (transport === undefined) throw new Error('the transport is not open yet');
      return transport;
    },
  });
  const transportEvents: TransportEvents = {
    onMessage: peer.receive,
    onGap: events.onGap,
    onLog: events.onLog,
    parseLarge,
    frames: frames && { ...frames }, // one for each connection
    onClosed(reason) {
      peer.disconnect(reason);
      events.onClosed(reason);
    },
  };
  try {
    transport = await openTransport(transportEvents);
    const connection: Connection = { peer, transport, clientInfo, declared };
    const agreement = await negotiate(connection);
    const lost = peer.lost();
    if (lost !== null) throw unreachable(lost, true);
    return { ...connection, agreement };
  } catch (error) {
    peer.disconnect(messageOf(error));
    await transport?.close();
    if (error instanceof UpstreamFailure) throw error;
    if (signal.aborted) throw unreachable(`gave up connecting: ${messageOf(signal.reason)}`, false, signal.reason);
    throw unreachable(`could not connect: ${messageOf(error)}`, false, error);
  }
}
