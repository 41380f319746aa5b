// Reads server-sent events (WHATWG HTML, section 9.2) from bytes, one at a time, with a limit on the size of each.
import { createLineSplitter } from './line-reader.js';

export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

export interface SseHandlers {
  readonly onEvent: (event: ServerSentEvent) => void;
  readonly onId?: (id: string) => void;
  readonly onRetry?: (ms: number) => void;
  readonly onTooLong: () => void;
}

export interface SseParser {
  push(chunk: Buffer): void;
}

export function createSseParser(maxBytes: number, handlers: SseHandlers): SseParser {
  let data: string[] = [];
  let event = '';
  let size = 0;
  let isFirstLine = true;

  const dispatch = () => {
    if (data.length > 0) handlers.onEvent({ event: event === '' ? 'message' : event, data: data.join('\n') });
    data = [];
    event = '';
    size = 0;
  };

  const onLine = (text: string) => {
    const line = isFirstLine && text.startsWith('\uFEFF') ? text.slice(1) : text;
    isFirstLine = false;
    if (line === '') return dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return; // a comment, used as a keep-alive
    const field = colon === -1 ? line : line.slice(0, colon);
    const start = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
    const value = colon === -1 ? '' : line.slice(start);
    if (field === 'data') {
      size += value.length;
      if (size > maxBytes) return handlers.onTooLong();
      data.push(value);
    } else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) handlers.onId?.(value);
    else if (field === 'retry' && /^\d+$/.test(value)) handlers.onRetry?.(Number(value));
  };

  return createLineSplitter({ maxBytes, onLine, onTooLong: handlers.onTooLong, splitsAtCr: true });
}
