// Writes the heads of answers. Those with the same status and shared headers differ only in their length and date: Node
// writes the first of them, and what it wrote is used again for the rest.
import type { ServerResponse } from 'node:http';
import type { HeaderRecord } from './exchange.js';

/** Where every Node keeps the text of a head until it is sent; `headersSent` tells of it. Private, so its use is checked. */
type WithHead = ServerResponse & { _header?: unknown };

/** The text of a head around its length and its date, on a connection that stays open. */
interface Template {
  readonly toLength: string;
  readonly toDate: string;
  readonly rest: string;
}

interface Known {
  readonly lines: readonly string[];
  /** By status. */
  readonly templates: Map<number, Template>;
}

export class AnswerHeads {
  /** Of frozen records, which many answers share. */
  readonly #known = new WeakMap<HeaderRecord, Known>();
  #isDirect = true;
  #date = '';
  #dateSecond = 0;

  /** @param length bytes of the body; null for none */
  write(outgoing: ServerResponse, status: number, headers: HeaderRecord, length: number | null): void {
    const { lines, templates } = this.#known.get(headers) ?? this.#learn(headers);
    if (length === null) {
      outgoing.writeHead(status, [...lines]);
      return;
    }
    const isPlain = this.#isDirect && outgoing.shouldKeepAlive && outgoing.req.headers.expect === undefined;
    const template = isPlain ? templates.get(status) : undefined;
    if (template !== undefined && this.#writeDirect(outgoing, status, length, template)) return;
    outgoing.writeHead(status, [...lines, 'Content-Length', String(length)]);
    const written = isPlain && Object.isFrozen(headers) ? toTemplate(outgoing) : undefined;
    if (written !== undefined) templates.set(status, written);
  }

  #learn(headers: HeaderRecord): Known {
    const known = { lines: Object.entries(headers).flat(), templates: new Map<number, Template>() };
    if (Object.isFrozen(headers)) this.#known.set(headers, known);
    return known;
  }

  /** Whether Node takes the text for the head. */
  #writeDirect(outgoing: WithHead, status: number, length: number, template: Template): boolean {
    outgoing._header = `${template.toLength}${length}${template.toDate}${this.#now()}${template.rest}`;
    this.#isDirect = outgoing.headersSent;
    if (this.#isDirect) outgoing.statusCode = status;
    return this.#isDirect;
  }

  /** As the Date header has it (RFC 9110, section 5.6.7). */
  #now(): string {
    const epochMs = Date.now();
    const second = Math.floor(epochMs / 1000);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#date = new Date(epochMs).toUTCString();
    }
    return this.#date;
  }
}

const head =
  /^(HTTP\/1\.1 [\s\S]*\r\nContent-Length: )\d+(\r\nDate: )[^\r]+(\r\nConnection: keep-alive\r\n(?:Keep-Alive: timeout=\d+\r\n)?\r\n)$/;

/** Undefined where it looks like no head that is known here. */
function toTemplate({ _header }: WithHead): Template | undefined {
  const [, toLength, toDate, rest] = (typeof _header === 'string' && head.exec(_header)) || [];
  return toLength === undefined || toDate === undefined || rest === undefined ? undefined : { toLength, toDate, rest };
}
