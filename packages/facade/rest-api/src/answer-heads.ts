// Writes the heads of answers. Those with the same status and shared headers differ only in their length and date: Node
// writes the first of them, and what it wrote is used again for the rest.
import type { ServerResponse } from 'node:http';
import type { HeaderRecord } from './exchange.js';

/** Every Node keeps the text of a head in `_header` until it is sent, and `headersSent` is true from then on. */
type WithHead = ServerResponse & { _header?: unknown; readonly maxRequestsOnConnectionReached?: boolean };

/** The text of a head around its length and its date, on a connection that stays open. A 304 has no length. */
interface Template {
  readonly statusMessage: string;
  readonly toLength: string;
  readonly toDate: string;
  readonly rest: string;
}

interface Known {
  readonly lines: readonly string[];
  /** By status; none if the headers are of one answer only. */
  readonly templates: Map<number, Template> | undefined;
}

export const budgetHeader = 'X-Service-Budget-Remaining';
const budgetLine = /\r\nX-Service-Budget-Remaining: [^\r]*/;

/** For the answers of one server, whose settings for connections do not change. */
export class AnswerHeads {
  /** Heads of frozen records, which many answers share. */
  readonly #known = new WeakMap<HeaderRecord, Known>();
  #isDirect = true;
  #date = '';
  #dateSecond = 0;

  /** @param length bytes of the body; null for none @param budgets a header beside the shared ones */
  write(outgoing: WithHead, status: number, headers: HeaderRecord, length: number | null, budgets?: string): void {
    const known = this.#known.get(headers) ?? this.#learn(headers);
    // Whether nothing but the length and the date of its head is its own, and its connection stays open.
    const isPlain =
      !(status < 200 || status === 204) && // these have no body
      (status === 304) === (length === null) && // nor has this one, which is the answer to most requests for a list
      !(outgoing.headersSent || outgoing.getHeaderNames().length > 0) &&
      !(outgoing.maxRequestsOnConnectionReached || outgoing.req.headers.expect !== undefined) &&
      outgoing.shouldKeepAlive;
    const templates = this.#isDirect && isPlain ? known.templates : undefined;
    const template = templates?.get(status);
    if (template === undefined) {
      this.#writeByNode(outgoing, status, linesOf(known, budgets), length, templates);
      return;
    }
    const epochMs = Date.now();
    const second = Math.floor(epochMs / 1000);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#date = new Date(epochMs).toUTCString(); // as RFC 9110, section 5.6.7, has it
    }
    outgoing._header = `${template.toLength}${length ?? ''}${template.toDate}${this.#date}${budgets === undefined ? '' : `\r\n${budgetHeader}: ${budgets}`}${template.rest}`;
    this.#isDirect = outgoing.headersSent; // whether Node takes the text for the head
    if (this.#isDirect) {
      outgoing.statusCode = status;
      outgoing.statusMessage = template.statusMessage;
    } else this.#writeByNode(outgoing, status, linesOf(known, budgets), length, undefined);
  }

  /** @param templates learn what Node writes; undefined for a head that is like no other */
  #writeByNode(
    outgoing: WithHead,
    status: number,
    lines: readonly string[],
    length: number | null,
    templates: Known['templates'],
  ): void {
    outgoing.writeHead(status, length === null ? [...lines] : [...lines, 'Content-Length', String(length)]);
    const written = templates && toTemplate(outgoing);
    if (written !== undefined) templates?.set(status, written);
  }

  #learn(headers: HeaderRecord): Known {
    const isShared = Object.isFrozen(headers);
    const known = { lines: Object.entries(headers).flat(), templates: isShared ? new Map() : undefined };
    if (isShared) this.#known.set(headers, known);
    return known;
  }
}

function linesOf({ lines }: Known, budgets: string | undefined): readonly string[] {
  return budgets === undefined ? lines : [...lines, budgetHeader, budgets];
}

const head =
  /^(HTTP\/1\.1 (?:304 [\s\S]*|[\s\S]*\r\nContent-Length: (?=\d)))\d*(\r\nDate: )[^\r]+(\r\nConnection: keep-alive\r\n(?:Keep-Alive: timeout=\d+\r\n)?\r\n)$/;

/** Undefined if it looks like no head that is known here. */
function toTemplate({ _header, statusMessage }: WithHead): Template | undefined {
  const [, toLength, toDate, rest] = (typeof _header === 'string' && head.exec(_header.replace(budgetLine, ''))) || [];
  if (toLength === undefined || toDate === undefined || rest === undefined) return undefined;
  return { statusMessage, toLength, toDate, rest };
}
