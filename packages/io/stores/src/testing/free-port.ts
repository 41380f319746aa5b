// A port for a server that has to know it before it listens, or that listens on it a second time.
import { createServer } from 'node:net';

/**
 * Below the range from which systems assign free ports, so no other program gets it by chance before it is used. Above
 * 10080, the highest that `fetch` refuses (https://fetch.spec.whatwg.org/#port-blocking).
 */
const [lowest, count] = [11_000, 20_000];

/** A port of 127.0.0.1 without a listener. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
