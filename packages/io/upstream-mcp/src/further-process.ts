// The further processes of a server that runs already. They answer calls: lists, their changes and updates of resources
// are those of the first.
import type { StdioServer } from '@portico/contracts';
import type { UpstreamEvents } from '@portico/upstream-pool';
import type { AskingMemory } from './asking-memory.js';
import type { Attempt, Established } from './attempt.js';
import { connectStdio, type StdioOptions } from './connect-stdio.js';
import { unreachable } from './failures.js';
import { createMcpSession, type McpSessionOptions } from './mcp-session.js';
import type { Send, ServerProcess } from './pool-member.js';
import { ProcessPool } from './process-pool.js';
import { maskEvents } from './secrets/mask.js';
import { createSessionLife } from './session-life.js';

export interface PooledServer {
  /** How its processes are started; null for one that is behind an address, to which there is one stream. */
  readonly stdio: Omit<StdioOptions, 'remembered'> | null;
  readonly attempt: Pick<Attempt, 'clientInfo' | 'declared' | 'parseLarge' | 'frames'> & {
    readonly memory: AskingMemory;
  };
  readonly events: UpstreamEvents;
  readonly session: Pick<McpSessionOptions, 'warn' | 'secrets' | 'inStage'>;
}

/** The pool of a server of 2025-11-25 whose questions do not say whose they are; nothing for others. */
export function poolOption(
  { peer, agreement, transport }: Established,
  server: PooledServer,
): Pick<McpSessionOptions, 'poolOf'> {
  if (agreement.era === 'modern' || transport.hasReplyStreams) return {};
  const { stdio, attempt, events, session } = server;
  const { onLog } = maskEvents(events, session.secrets);
  const poolOf = (send: Send) =>
    new ProcessPool({
      first: { peer, send },
      memory: attempt.memory,
      maxProcesses: stdio === null ? 1 : maxProcessesOf(stdio.server),
      open(onClosed, signal) {
        if (stdio === null) throw new Error('a server behind an address has no processes of ours');
        return openFurther(server, stdio, onClosed, signal);
      },
      onLog,
    });
  return { poolOf };
}

const defaultMaxProcesses = 4;

const maxProcessesOf = ({ maxProcesses = defaultMaxProcesses }: StdioServer) => maxProcesses;

/** @param onClosed called when it ends by itself @throws UpstreamFailure, and then nothing is left of it */
async function openFurther(
  { attempt, events, session }: PooledServer,
  stdio: NonNullable<PooledServer['stdio']>,
  onClosed: (reason: string) => void,
  signal: AbortSignal,
): Promise<ServerProcess> {
  const nothing = () => {};
  const own = { ...events, onClosed, onListChanged: nothing, onResourceUpdated: nothing, onLogMessage: nothing };
  const life = createSessionLife(maskEvents(own, session.secrets));
  const established = await connectStdio(
    { ...stdio, remembered: 'legacy' },
    { ...attempt, events: life.events, signal },
  );
  const { peer, transport } = established;
  const further = createMcpSession({
    ...established,
    ...session,
    watchResources: async () => {},
    onClose: life.end,
  });
  life.begin(established, session.warn);
  const reason = peer.lost();
  if (reason !== null) {
    await further.close();
    throw unreachable(reason, false);
  }
  events.onLog(
    `[portico] a further process runs for calls that ask, or run beside one that does: pid ${transport.pid}`,
  );
  return { peer, send: further.request, close: further.close };
}
