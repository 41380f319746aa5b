// The request that hands records to a target, in the target's own format. Sends nothing.
import type { AuditRecord } from '@portico/audit-chain';
import type { SiemTarget, SplunkHec } from '@portico/contracts';
import { type Address, type PostRequest, toPostRequest } from '../post-request.js';

const eventPath = '/services/collector/event';

/** @throws AddressError */
export function toSiemRequest(target: SiemTarget, records: readonly AuditRecord[]): PostRequest {
  return toPostRequest(addressOf(target), new TextEncoder().encode(bodyOf(target, records)));
}

function addressOf(target: SiemTarget): Address {
  switch (target.kind) {
    case 'webhook':
      return { url: target.url, authorization: target.authHeader, headers: target.headers, noun: 'SIEM webhook' };
    case 'splunk_hec':
      return { url: eventUrl(target.url), authorization: `Splunk ${target.token}`, headers: {}, noun: 'Splunk target' };
  }
}

function bodyOf(target: SiemTarget, records: readonly AuditRecord[]): string {
  switch (target.kind) {
    case 'webhook':
      return JSON.stringify({ events: records });
    case 'splunk_hec':
      return records.map((record) => JSON.stringify(hecEvent(target, record))).join('\n');
  }
}

/** A bare origin means the event endpoint on it. */
function eventUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = eventPath;
  return url.href;
}

/** Event metadata and data as "Format events for HTTP Event Collector" in Splunk's documentation has them. */
function hecEvent({ index, source }: SplunkHec, record: AuditRecord) {
  return {
    time: Date.parse(record.timestamp) / 1000,
    ...(index === null ? {} : { index }),
    ...(source === null ? {} : { source }),
    sourcetype: 'portico:audit',
    event: record,
  };
}
