// Opens a session to a child process. A child that ends upon the question for its era is started once more, the old way,
// unless it is known to end either way.
import { stat } from 'node:fs/promises';
import type { StdioServer } from '@portico/contracts';
import { type Attempt, type Established, establish } from './attempt.js';
import { childEnv, type Environment } from './child-env.js';
import type { FirstMessage } from './era-memory.js';
import { unreachable } from './failures.js';
import { EndedOnProbe, initialize, negotiateOnPipe } from './negotiate.js';
import type { Reaper } from './reaper.js';
import type { Era } from './request-params.js';
import type { SpawnTurns } from './spawn-turns.js';
import { openStdioTransport } from './stdio-transport.js';

export interface StdioOptions {
  readonly server: StdioServer;
  readonly env: Environment;
  readonly reaper: Reaper | null;
  readonly spawnTurn: SpawnTurns['next'];
  readonly remembered: Era | undefined;
  /** The only thing that it is asked; undefined asks the old way too where it ends. */
  readonly firstMessage?: FirstMessage | undefined;
  /** How long a child may say nothing before it is asked the old way as well. */
  readonly silenceMs?: number;
}

/** @throws UpstreamFailure */
export async function connectStdio(
  { server, env, reaper, spawnTurn, firstMessage, ...negotiation }: StdioOptions,
  attempt: Pick<Attempt, 'clientInfo' | 'declared' | 'events' | 'parseLarge' | 'frames' | 'signal'>,
): Promise<Established> {
  const { signal } = attempt;
  const { command: program, args, cwd } = server;
  await mustBeDirectory(cwd);
  const command = { command: program, args, env: childEnv(env, server.env), cwd };
  const openTransport: Attempt['openTransport'] = async (events) => {
    await spawnTurn();
    signal.throwIfAborted(); // it was aborted during the wait: nothing is started any more
    return openStdioTransport(command, events, { reaper });
  };
  try {
    const negotiate: Attempt['negotiate'] = (connection) =>
      firstMessage === 'initialize' ? initialize(connection, signal) : negotiateOnPipe(connection, negotiation, signal);
    return await establish({ ...attempt, openTransport, negotiate });
  } catch (error) {
    if (!(error instanceof EndedOnProbe) || signal.aborted || firstMessage === 'probe') throw error;
    return establish({ ...attempt, openTransport, negotiate: (connection) => initialize(connection, signal) });
  }
}

/** The system says of a directory that is missing that the program is. @throws UpstreamFailure */
async function mustBeDirectory(cwd: string | undefined): Promise<void> {
  if (cwd === undefined) return;
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() !== true) throw unreachable(`cwd: ${cwd} is not a directory`, false);
}
