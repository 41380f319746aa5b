// Log lines about a target: enough to act on, not too often, and no secret.
import type { SiemTarget } from '@portico/contracts';
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { watchClock } from './testing/clocks.js';
import { createFakeAudit } from './testing/fake-audit.js';
import { type Answer, answerWith, startReceiver } from './testing/receiver.js';
import { webhookTo } from './testing/start-streams.js';
import { receiver, streams } from './testing/started.js';

describe('trouble', () => {
  it('is reported once a minute, and once when it is over', async () => {
    const { origin } = await receiver((response, nth) => response.writeHead(nth <= 5 ? 503 : 200).end());
    const clock = watchClock(createManualClock());
    const { reaches, lines } = streams({
      audit: createFakeAudit(3),
      targets: [webhookTo(origin)],
      clock,
      randomUnit: () => 1,
      flushIntervalMs: 1,
    });
    for (const [index, ms] of [500, 1000, 2000, 56_500, 60_000].entries()) {
      await clock.slept.reaches(index + 1);
      await clock.advance(ms);
    }
    await reaches(3);
    const target = expect.stringMatching(/^webhook-[0-9a-f]{12}$/);
    const failing = 'audit records do not reach a SIEM target; they are sent until they do';
    const reason = 'answered with status 503';
    expect(lines).toEqual([
      ['warn', failing, { target, origin, waiting: 3, waiting_seconds: 0, failures: 1, reason }],
      ['warn', failing, { target, origin, waiting: 3, waiting_seconds: 59, failures: 4, reason }],
      [
        'info',
        'audit records reach a SIEM target again',
        { target, origin, waiting: 3, waiting_seconds: 119, failures: 0 },
      ],
    ]);
  });

  it('names the error code where no server listens', async () => {
    const { origin, close } = await startReceiver(answerWith(200));
    await close();
    const { logged, lines } = streams({ audit: createFakeAudit(1), targets: [webhookTo(origin)] });
    await logged.reaches(1);
    expect(lines[0]?.[2]).toMatchObject({ reason: 'the request failed with ECONNREFUSED' });
  });

  it('does not end a stream when the log itself fails', async () => {
    const { origin } = await receiver(answerWith(500, 200));
    const log = () => {
      throw new Error('disk full');
    };
    const { reaches } = streams({ audit: createFakeAudit(1), targets: [webhookTo(origin)], log });
    await reaches(1);
  });
});

describe('secrets', () => {
  const planted = 'planted-5ec2e7';
  const address = (host: string) => `http://${planted}:${planted}@${host}/${planted}?token=${planted}#${planted}`;
  const webhook = (host: string, rest: Partial<Extract<SiemTarget, { kind: 'webhook' }>> = {}): SiemTarget => ({
    kind: 'webhook',
    url: address(host),
    authHeader: `Bearer ${planted}`,
    headers: { 'X-Key': planted },
    ...rest,
  });
  const splunk = (host: string, rest: Partial<Extract<SiemTarget, { kind: 'splunk_hec' }>> = {}): SiemTarget => ({
    kind: 'splunk_hec',
    url: address(host),
    token: planted,
    index: planted,
    source: planted,
    ...rest,
  });

  it.each<[string, Answer, (host: string) => SiemTarget]>([
    ['refuses', (response) => response.writeHead(400).end(planted), webhook],
    ['refuses with a text', (response) => response.writeHead(400).end(`{"code":7,"text":"${planted}"}`), splunk],
    ['refuses with a code that is a text', (response) => response.writeHead(400).end(`{"code":"${planted}"}`), splunk],
    ['redirects', (response) => response.writeHead(302, { location: `/${planted}` }).end(), webhook],
    ['breaks off', (response) => response.destroy(), splunk],
    [
      'has a header value that cannot be sent',
      answerWith(200),
      (host) => webhook(host, { headers: { 'X-Key': `a\n${planted}` } }),
    ],
    [
      'has a header name that cannot be sent',
      answerWith(200),
      (host) => webhook(host, { headers: { [`A: ${planted}`]: '' } }),
    ],
    [
      'has an authorization that cannot be sent',
      answerWith(200),
      (host) => webhook(host, { authHeader: `${planted} 世界` }),
    ],
    ['has a token that cannot be sent', answerWith(200), (host) => splunk(host, { token: `${planted} 世界` })],
    [
      'has an address that is none',
      answerWith(200),
      () => webhook('', { url: `http://${planted}:${planted}@/${planted}` }),
    ],
  ])('of a target that %s are not in the log', async (_, answer, toTarget) => {
    const { origin } = await receiver(answer);
    const audit = createFakeAudit(1, () => ({ sanitized_args: { planted } }));
    const { logged, lines, lag } = streams({ audit, targets: [toTarget(origin.slice('http://'.length))] });
    await logged.reaches(1);
    const shown = JSON.stringify([lines, lag()]);
    expect(shown).not.toContain(planted);
    expect(shown).not.toContain(Buffer.from(planted).toString('base64').slice(0, 12));
  });
});
