// Plays the scenarios of the processes that the suite starts, a few at a time: a connection is a scenario, and one that
// closes early has its scenario ended.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Scenario } from './driver/config.js';

export interface ScenarioServer {
  /** Environment variables of a process of the suite that lead it here. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** @param play ends when the scenario is over. @throws what the process of the scenario shows before it ends with 1 */
export async function serveScenarios(
  atOnce: number,
  play: (scenario: Scenario, signal: AbortSignal) => Promise<void>,
): Promise<ScenarioServer> {
  const waiting: Socket[] = [];
  const open = new Set<Socket>();
  let playing = 0;

  async function playOne(socket: Socket): Promise<void> {
    const closed = new AbortController();
    socket.once('close', () => closed.abort());
    try {
      const scenario = JSON.parse(await readLine(socket, closed.signal)) as Scenario; // written by driver/main.mjs
      await play(scenario, closed.signal);
      socket.end('ok\n');
    } catch (error) {
      socket.end(`${error instanceof Error ? error.message : error}\n`);
    }
  }

  function playNext(): void {
    while (playing < atOnce) {
      const socket = waiting.shift();
      if (socket === undefined) return;
      if (socket.destroyed) continue;
      playing += 1;
      void playOne(socket).finally(() => {
        playing -= 1;
        playNext();
      });
    }
  }

  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    waiting.push(socket);
    playNext();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    env: { PORTICO_SCENARIOS_PORT: String((server.address() as AddressInfo).port) }, // a TCP server that listens has one
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** The line that a process writes. It stays connected, so that its end is seen. @throws when `signal` aborts */
async function readLine(socket: Socket, signal: AbortSignal): Promise<string> {
  const [line] = await once(createInterface({ input: socket }), 'line', { signal });
  return String(line);
}
