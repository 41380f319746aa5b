// Reads a stream of server-sent events (WHATWG HTML, section 9.2), as much of the format as Portico sends.
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { onCleanup } from './cleanup.js';
import type { Daemon } from './daemon.js';

/** Streams, whose answers do not end by themselves. */
export const endless: ReadonlySet<string> = new Set([
  '/v1/resources/updates',
  '/v1/activity/stream',
  '/v1/inspect/stream',
]);

const updates = '/v1/resources/updates';

export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything received so far, unchanged. */
  text(): string;
  /** Complete events so far, of one name where one is given. */
  events(name?: string): readonly StreamEvent[];
  /** Resolves when the service ends the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Resolves with the head of the answer. Closed with the test. */
export async function openUpdates(
  daemon: Daemon,
  headers: Readonly<Record<string, string>> = {},
  path = updates,
): Promise<EventStream> {
  const response = await ask(daemon, headers, path);
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<void>((resolve) => response.on('close', resolve).on('error', () => {}));
  const blocks = () => text.split('\n\n').slice(0, -1);
  const events = () =>
    blocks()
      .filter((block) => /^data:/m.test(block))
      .map(parse);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events: (name) => events().filter(({ event }) => name === undefined || event === name),
    ended,
    close: () => response.destroy(),
  };
}

/** Opens a stream and never reads from it. */
export async function openUnreadUpdates(daemon: Daemon, path = updates): Promise<IncomingMessage> {
  return (await ask(daemon, {}, path)).on('error', () => {});
}

function ask(daemon: Daemon, headers: Readonly<Record<string, string>>, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(`${daemon.url}${path}`, { headers, agent: false }, resolve).on('error', reject);
    onCleanup(() => request.destroy());
  });
}

function parse(block: string): StreamEvent {
  const fields: Record<string, string> = {};
  for (const [, name = '', value = ''] of block.matchAll(/(?:^|\n)(\w+): ?([^\n]*)/g)) fields[name] = value;
  const { data = 'null', ...rest } = fields;
  return { ...rest, data: JSON.parse(data) };
}
