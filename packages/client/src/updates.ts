// The stream of changes, message by message (WHATWG HTML, section 9.2).
import { parseJson } from '@portico/contracts';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface UpdateMessage {
  /** The value of `Last-Event-ID` that resumes behind this event. */
  readonly id: string | undefined;
  /** `catalog_changed` or `resource_updated`. */
  readonly event: string;
  readonly data: unknown;
}

export async function* toMessages(texts: AsyncIterable<string>): AsyncGenerator<UpdateMessage> {
  const parsed: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => parsed.push(message) });
  for await (const text of texts) {
    parser.feed(text);
    for (const { id, event = 'message', data } of parsed.splice(0)) yield { id, event, data: parseJson(data) };
  }
}
