// Server-sent events of a response, one after the other. For tests only.
import { parseJson } from '@portico/contracts';

export interface SentEvent {
  /** The id of the message, where it has one. */
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export function readEvents({ body }: Response) {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  /** The id of the last event. */
  let lastEventId = '';
  let retries = 0;
  const block = async (): Promise<string | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const found = text.slice(0, end);
        text = text.slice(end + 2);
        return found;
      }
      const part = await reader?.read();
      if (part === undefined || part.done) return undefined;
      text += part.value;
    }
  };
  /** The message of the next event that has one; undefined at the end of the stream. */
  const next = async (): Promise<SentEvent | undefined> => {
    for (let event = await block(); event !== undefined; event = await block()) {
      lastEventId = /^id: (.*)$/m.exec(event)?.[1] ?? lastEventId;
      if (/^retry: \d+$/m.test(event)) retries += 1;
      const data = /^data: (.+)$/m.exec(event)?.[1];
      if (data !== undefined) return parseJson(data) as SentEvent;
    }
    return undefined;
  };
  /** The next event, of any kind. */
  const begin = async (): Promise<string | undefined> => {
    const event = await block();
    lastEventId = /^id: (.*)$/m.exec(event ?? '')?.[1] ?? lastEventId;
    return event;
  };
  return {
    next,
    begin,
    lastEventId: () => lastEventId,
    retries: () => retries,
    leave: async () => void (await reader?.cancel()),
  };
}
