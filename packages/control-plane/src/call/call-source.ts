// The source of a call: its channel, and the name that the program at the other end gives itself. The name proves
// nothing, and is hostile input: it is bounded, and shown without control characters and without secrets.
import { Written } from '@portico/audit-chain';
import { type AuditChannel, type ClientName, isJsonObject, type JsonValue, maxClientName } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';

type RedactText = Redactor['redactText'];

/** The part of a source that is kept with a waiting call. */
export interface NamedSource {
  readonly channel: AuditChannel;
  /** Texts returned by `cleanText`, not redacted yet; absent without a name. */
  readonly client?: ClientName;
}

/** One for a session, a pipe or a header text: records that come from it share its canonical text. */
export class CallSource {
  readonly channel: AuditChannel;
  readonly named: NamedSource;
  /** The redaction that produced `shown`. Compared before `showTo` is called, which saves the call. */
  redactText: RedactText | undefined;
  shown: Written<ClientName> | undefined;

  constructor(named: NamedSource) {
    this.channel = named.channel;
    this.named = named;
  }

  /** The client as a record may show it; undefined if it gives no name. */
  showTo(redactText: RedactText): Written<ClientName> | undefined {
    if (redactText === this.redactText) return this.shown;
    this.redactText = redactText;
    const name = cut(redactText(this.named.client?.name ?? ''));
    const version = cut(redactText(this.named.client?.version ?? ''));
    this.shown = name === '' ? undefined : new Written(version === '' ? { name } : { name, version });
    return this.shown;
  }
}

/** For MCP: `clientInfo` of `initialize`, or of the envelope of a request of 2026-07-28. */
export function sourceOfClientInfo(channel: AuditChannel, clientInfo: JsonValue | undefined): CallSource {
  if (!isJsonObject(clientInfo)) return new CallSource({ channel });
  const { name, version } = clientInfo;
  return sourceOf(channel, clientOf(name, version));
}

/** The channel of Portico's own programs that call over HTTP. */
function channelOf(client: ClientName | undefined): AuditChannel {
  if (client?.name === 'portico-cli') return 'cli';
  return client?.name === 'portico-console' ? 'ui' : 'http';
}

/**
 * For HTTP.
 * @param header `X-Service-Client` or, without it, `User-Agent`: `name/version`; the part after a space behind the
 * version is ignored (RFC 9110, section 10.1.5)
 */
export function sourceOfHeader(header: string): CallSource {
  const text = cleanText(header);
  const [product = ''] = /^[^/]*(?:\/\S*)?/.exec(text) ?? [];
  const at = product.lastIndexOf('/');
  const client = at < 0 ? clientOf(product) : clientOf(product.slice(0, at), product.slice(at + 1));
  return sourceOf(channelOf(client), client);
}

function sourceOf(channel: AuditChannel, client: ClientName | undefined): CallSource {
  return new CallSource(client === undefined ? { channel } : { channel, client });
}

function clientOf(name: JsonValue | undefined, version?: JsonValue): ClientName | undefined {
  const [clean, cleanVersion] = [cleanText(name), cleanText(version)];
  if (clean === '') return undefined;
  return cleanVersion === '' ? { name: clean } : { name: clean, version: cleanVersion };
}

/** More is not looked at. Longer than what is shown, so that a secret is seen as a whole. */
const maxRead = 1024;

/** Without control and format characters, halves of surrogate pairs and line separators; empty for what is no text. */
function cleanText(value: JsonValue | undefined): string {
  if (typeof value !== 'string') return '';
  return value
    .slice(0, maxRead)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** At a character's boundary. */
function cut(text: string): string {
  return text.length <= maxClientName ? text : Array.from(text).slice(0, maxClientName).join('').trimEnd();
}

/** A source that was kept, as answers show it: nothing where there is none. */
export function shownSource(
  source: NamedSource | null,
  { redactText }: Pick<Redactor, 'redactText'>,
): { readonly channel?: AuditChannel; readonly client?: ClientName } {
  if (source === null) return {};
  const client = new CallSource(source).showTo(redactText)?.value;
  return client === undefined ? { channel: source.channel } : { client, channel: source.channel };
}
