// Lets a few processes work at a time: a slot is a connection, so a process that ends, however it ends, gives its slot back.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const portVariable = 'PORTICO_CONFORMANCE_SLOTS_PORT';

export interface Gate {
  /** What a process needs in its environment for `takeSlot`. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

export async function openGate(slots: number): Promise<Gate> {
  const waiting: Socket[] = [];
  const working = new Set<Socket>();
  const admit = () => {
    while (working.size < slots) {
      const next = waiting.shift();
      if (next === undefined) return;
      working.add(next);
      next.write('go');
    }
  };
  const server = createServer((socket) => {
    waiting.push(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      working.delete(socket);
      if (waiting.includes(socket)) waiting.splice(waiting.indexOf(socket), 1);
      admit();
    });
    admit();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    env: { [portVariable]: String((server.address() as AddressInfo).port) }, // a TCP server that listens has one
    close() {
      server.close();
      for (const socket of [...working, ...waiting]) socket.destroy();
    },
  };
}

/** Waits for a slot and gives what gives it back. Without a gate there is nothing to wait for. */
export async function takeSlot(): Promise<() => void> {
  const port = process.env[portVariable];
  if (port === undefined) return () => {};
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'data');
  return () => socket.destroy();
}
