// Requests as bytes and answers as they stand on the wire: nothing is added, repaired or joined on the way.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; several of one name in order of their lines. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

export interface RawConnection {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** The next answer, an interim one included. @throws Error when the connection ends first */
  answer(hasBody?: boolean): Promise<RawAnswer>;
  /** Resolves when the service has closed the connection. */
  readonly closed: Promise<unknown>;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  let received = Buffer.alloc(0);
  let isEnded = false;
  let wake = () => {};
  socket.on('error', () => {}); // its end is what counts
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.once('close', () => {
    isEnded = true;
    wake();
  });
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (isEnded) throw new Error(`the connection ended after ${JSON.stringify(received.toString())}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const take = (length: number) => {
    const taken = received.subarray(0, length);
    received = received.subarray(length);
    return taken;
  };
  return {
    socket,
    closed,
    write: (bytes) => void socket.write(bytes),
    async answer(hasBody = true) {
      const end = await until(() => positionOf(received));
      const { status, headers } = parseHead(take(end).toString('latin1'));
      const isBare = !hasBody || status === 304 || status < 200;
      const length = isBare ? 0 : Number(headers['content-length']?.[0]);
      await until(() => (received.length >= length ? true : undefined));
      return { status, headers, body: take(length).toString('utf8') };
    },
  };
}

/** Sends one request on a connection of its own. */
export async function askRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const connection = await openRaw(port);
  connection.write(bytes);
  const answer = await connection.answer(!bytes.toString('latin1').startsWith('HEAD '));
  connection.socket.destroy();
  return answer;
}

function positionOf(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  return end === -1 ? undefined : end + 4;
}

function parseHead(head: string): Pick<RawAnswer, 'status' | 'headers'> {
  const [first = '', ...lines] = head.trimEnd().split('\r\n');
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(': ');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 2)];
  }
  return { status: Number(first.split(' ')[1]), headers };
}
