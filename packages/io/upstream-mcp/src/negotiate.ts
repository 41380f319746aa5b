// Finds out which era a server speaks: 2026-07-28 answers `server/discover`, everything older begins with `initialize`
// (MCP 2026-07-28, versioning; stdio, backward compatibility). The probe runs on the real connection.
import { type AbortSignalLike, toAbortSignal } from '@portico/async';
import { isJsonObject, type JsonObject, type JsonValue, type ServerAbout, uiCapability } from '@portico/contracts';
import { UpstreamFailure } from '@portico/upstream-pool';
import { HttpFailure, rejectionCode, unreachable } from './failures.js';
import { type Era, envelope } from './request-params.js';
import type { RpcPeer } from './rpc-peer.js';
import { serverInfoOf, wellFormed } from './server-info.js';
import type { Transport } from './transport.js';
import { type ClientInfo, legacyRevisions, metaKeys, modernRevision, rpcErrors } from './wire.js';

export interface Agreement {
  readonly era: Era;
  readonly revision: string;
  readonly capabilities: JsonObject;
  /** The information that the server gives about itself. */
  readonly about?: ServerAbout;
}

export interface Connection {
  readonly peer: RpcPeer;
  readonly transport: Transport;
  readonly clientInfo: ClientInfo;
  /** The capabilities that the server sees (MCP `ClientCapabilities`). */
  readonly declared: JsonObject;
}

/** The child ended when it was asked which era it speaks, as servers do that want `initialize` first. */
export class EndedOnProbe extends UpstreamFailure {}

/** How long a child may be silent before it is asked the old way as well. */
const defaultSilenceMs = 3_000;

/**
 * The 2025 handshake.
 * @throws UpstreamFailure
 */
export async function initialize(
  { peer, transport, clientInfo, declared }: Connection,
  signal: AbortSignalLike,
): Promise<Agreement> {
  peer.speak('legacy');
  const params = {
    protocolVersion: legacyRevisions[0],
    // MCP Apps do not depend on who is connected: see docs/decisions/mcp-apps.md.
    capabilities: { ...declared, extensions: uiCapability },
    clientInfo: { ...clientInfo },
  };
  const result = await peer.request('initialize', params, { signal, isSilentOnAbort: true });
  const revision = result.protocolVersion;
  if (typeof revision !== 'string' || !legacyRevisions.includes(revision)) {
    throw unreachable(`the server wants protocol revision ${JSON.stringify(revision)}, which is not supported`, true);
  }
  transport.settle(revision);
  await peer.notify('notifications/initialized');
  transport.listen();
  return { era: 'legacy', revision, capabilities: capabilitiesOf(result), about: aboutOf(result, result.serverInfo) };
}

/**
 * Asks with `server/discover`. Null means an answer that only an older server gives.
 * @throws UpstreamFailure when there was no answer to judge by.
 */
export async function probe(connection: Connection, signal: AbortSignalLike): Promise<Agreement | null> {
  try {
    const result = await askForEra(connection, signal);
    const versions = result.supportedVersions;
    if (!Array.isArray(versions) || !versions.includes(modernRevision)) return null;
    const capabilities = capabilitiesOf(result);
    connection.peer.speak('modern', capabilities);
    connection.transport.settle(modernRevision);
    const about = aboutOf(result, isJsonObject(result._meta) ? result._meta[metaKeys.serverInfo] : undefined);
    return { era: 'modern', revision: modernRevision, capabilities, about };
  } catch (error) {
    if (isOlderServersAnswer(error)) return null;
    throw error;
  }
}

async function askForEra({ peer, clientInfo }: Connection, signal: AbortSignalLike): Promise<JsonObject> {
  const params = { _meta: envelope(clientInfo) };
  const ask = () => peer.request('server/discover', params, { signal, isSilentOnAbort: true });
  try {
    return await ask();
  } catch (error) {
    // "Unsupported version" from a server that supports ours after all: the specification asks for one more try.
    if (rejectionCode(error) !== rpcErrors.unsupportedVersion || !supportsOurs(error)) throw error;
    return ask();
  }
}

function supportsOurs(error: unknown): boolean {
  const data =
    error instanceof UpstreamFailure && error.detail.kind === 'rejected' ? error.detail.error.data : undefined;
  return isJsonObject(data) && Array.isArray(data.supported) && data.supported.includes(modernRevision);
}

function aboutOf({ instructions, serverInfo }: JsonObject, named: JsonValue | undefined): ServerAbout {
  const info = named ?? serverInfo;
  return {
    info: serverInfoOf(info),
    ...(typeof instructions === 'string' ? { instructions: wellFormed(instructions) } : {}),
  };
}

const capabilitiesOf = ({ capabilities }: JsonObject): JsonObject => (isJsonObject(capabilities) ? capabilities : {});

/** Any JSON-RPC error, and any HTTP status that is not about access or the server's health, mean "not modern". */
function isOlderServersAnswer(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure)) return false;
  if (error.detail.kind === 'rejected') return true;
  if (!(error instanceof HttpFailure) || error.status === null) return false;
  return error.status < 500 && error.status !== 401 && error.status !== 403;
}

/**
 * Negotiates with a child. A server that is silent may be slow to start, or may not answer what it does not know:
 * after a while it gets `initialize` too, and the first answer that means something wins. So a slow server of either
 * era is judged by what it says, never by how long it took.
 * @throws EndedOnProbe when the child ended without an answer to the probe; UpstreamFailure
 */
export async function negotiateOnPipe(
  connection: Connection,
  { remembered, silenceMs = defaultSilenceMs }: { readonly remembered: Era | undefined; readonly silenceMs?: number },
  signal: AbortSignalLike,
): Promise<Agreement> {
  if (remembered === 'legacy') return initialize(connection, signal);
  const over = new AbortController();
  const either = AbortSignal.any([toAbortSignal(signal), over.signal]);
  const probing = probe(connection, either).catch((error) => {
    throw signal.aborted ? error : endedOnProbe(error);
  });
  probing.catch(() => {}); // looked at below, if at all
  try {
    const answer = await (remembered === 'modern' ? probing : orSilence(probing, silenceMs));
    if (answer === null) return await initialize(connection, signal);
    if (answer !== 'silence') return answer;
    return await firstAgreement(probing, initialize(connection, either));
  } finally {
    over.abort(); // whichever question is still open is not waited for
  }
}

const endedOnProbe = (error: unknown) =>
  error instanceof UpstreamFailure && error.detail.kind === 'unreachable' && error.detail.sent
    ? new EndedOnProbe(error.message, error.detail)
    : error;

async function orSilence<T>(answer: Promise<T>, ms: number): Promise<T | 'silence'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(resolve, ms, 'silence');
  });
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}

function firstAgreement(probing: Promise<Agreement | null>, legacy: Promise<Agreement>): Promise<Agreement> {
  return new Promise((resolve, reject) => {
    probing.then((agreement) => agreement !== null && resolve(agreement), reject);
    legacy.then(resolve, (error) => {
      // A server of 2026-07-28 only refuses `initialize`; its answer to the probe is still to come.
      probing.then((agreement) => (agreement === null ? reject(error) : resolve(agreement)), reject);
    });
  });
}
