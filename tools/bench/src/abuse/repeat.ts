// Sends one request again and again, and another at a steady pace, without reading more of an answer than its status.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sent {
  readonly status: number;
  readonly ms: number;
}

export interface Request {
  readonly port: number;
  readonly path: string;
  readonly body: Buffer;
}

/** A caller keeps its connections; each new one takes a turn of the event loop of its own. */
const agent = () => new Agent({ keepAlive: true, maxSockets: 16 });
const [ofAbuser, ofOther] = [agent(), agent()];

export function send({ port, path, body }: Request, by = ofAbuser): Promise<Sent> {
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    request({ agent: by, port, path, host: '127.0.0.1', method: 'POST', headers }, (answer) => {
      answer.resume().on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, ms: performance.now() - sentAt }));
    })
      .on('error', (error: NodeJS.ErrnoException) => {
        // A connection that was idle for too long: the daemon has closed it.
        if (error.code === 'ECONNRESET') resolve(send({ port, path, body }, by));
        else reject(error);
      })
      .end(body);
  });
}

/** One after the other, or several at a time. */
export async function sendFor(what: Request, ms: number, atOnce: number): Promise<Sent[]> {
  const untilMs = performance.now() + ms;
  const sent: Sent[] = [];
  const sendOn = async () => {
    while (performance.now() < untilMs) sent.push(await send(what));
  };
  await Promise.all(Array.from({ length: atOnce }, sendOn));
  return sent;
}

/** A request at each interval, answered or not, until the signal aborts. */
export async function sendSteadily(what: Request, everyMs: number, signal: AbortSignal): Promise<Sent[]> {
  const sent: Promise<Sent>[] = [];
  while (!signal.aborted) {
    sent.push(send(what, ofOther));
    await sleep(everyMs);
  }
  return Promise.all(sent);
}
