// The two formats, byte by byte, and whose headers hold.
import { describe, expect, it } from 'vitest';
import { toSiemRequest } from './siem-request.js';
import { recordAt } from './testing/fake-audit.js';
import { splunkAt, webhookTo } from './testing/start-streams.js';

const text = (body: Uint8Array) => new TextDecoder().decode(body);
const records = [
  { ...recordAt(1), timestamp: '2026-02-03T04:05:06.789Z' },
  { ...recordAt(2), timestamp: '2026-02-03T04:05:07.000Z' },
];

describe('a webhook target', () => {
  it('gets one object with all records as they are in the log', () => {
    const { url, headers, body } = toSiemRequest(webhookTo('http://siem.test', { authHeader: 'Bearer a' }), records);
    expect(url).toBe('http://siem.test/events');
    expect([...headers]).toEqual([
      ['authorization', 'Bearer a'],
      ['content-type', 'application/json'],
    ]);
    expect(JSON.parse(text(body))).toEqual({ events: records });
  });

  it('gets its headers, which cannot replace content type or the configured authorization', () => {
    const headers = { 'X-Team': 'red', 'Content-Type': 'text/plain', AUTHORIZATION: 'Bearer b', 'Content-Length': '1' };
    expect([...toSiemRequest(webhookTo('http://siem.test', { authHeader: 'Bearer a', headers }), []).headers]).toEqual([
      ['authorization', 'Bearer a'],
      ['content-type', 'application/json'],
      ['x-team', 'red'],
    ]);
  });
});

describe('a Splunk target', () => {
  it('gets one event a line, with the time of the record', () => {
    const target = splunkAt('http://splunk.test:8088', { index: 'audit', source: 'portico-1' });
    const { url, headers, body } = toSiemRequest(target, records);
    expect(url).toBe('http://splunk.test:8088/services/collector/event');
    expect(headers.get('authorization')).toBe('Splunk hec-token');
    const meta = '"index":"audit","source":"portico-1","sourcetype":"portico:audit"';
    expect(text(body)).toBe(
      [
        `{"time":1770091506.789,${meta},"event":${JSON.stringify(records[0])}}`,
        `{"time":1770091507,${meta},"event":${JSON.stringify(records[1])}}`,
      ].join('\n'),
    );
  });

  it('gets no index and no source without configured ones', () => {
    const [event] = text(toSiemRequest(splunkAt('http://splunk.test'), records).body).split('\n');
    expect(Object.keys(JSON.parse(event ?? ''))).toEqual(['time', 'sourcetype', 'event']);
  });

  it('is asked at the path of its address, with its token instead of the credentials there', () => {
    const url = 'http://ann:secret@splunk.test/own/path?channel=7';
    const request = toSiemRequest(splunkAt('', { url }), records);
    expect([request.url, request.headers.get('authorization')]).toEqual([
      'http://splunk.test/own/path?channel=7',
      'Splunk hec-token',
    ]);
  });
});
