// Webhooks as a receiver on a real socket and a reader of the log see them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Webhook } from '@portico/contracts';
import { createEgress } from '@portico/egress';
import { afterEach, describe, expect, it } from 'vitest';
import { createCounter } from './testing/counter.js';
import { createWebhookSender, type Notification, type WebhookSenderOptions } from './webhook-sender.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const body = '{"event":"approval.requested","note":"Grüße, 世界 🚀"}';
const secret = 'whsec_golden';
/** printf '%s' "$body" | openssl dgst -sha256 -hmac "$secret" */
const signature = 'f0528fb3e07f64aafdf02ef7217d39a2d6572ee2ca0b06f4a69f758af8fc8b48';

const notification: Notification = { event: 'approval.created', approvalId: 'apr_1', body };

function webhookTo(url: string, rest: Partial<Webhook> = {}): Webhook {
  return { url, secret: null, secretEnv: null, authHeader: null, headers: {}, ...rest };
}

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse, nth: number) => void;

const answerWith =
  (...statuses: readonly number[]): Answer =>
  (response, nth) =>
    response.writeHead(statuses[Math.min(nth, statuses.length) - 1] ?? 200).end('seen');

const neverAnswer: Answer = () => {};

/** Listens on a port of its own. `nth` counts the requests from 1. */
async function startReceiver(answer: Answer) {
  const received: Received[] = [];
  const counters = { arrived: createCounter(), cutOff: createCounter(), connected: createCounter() };
  const server = createServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) counters.cutOff.add();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString('hex') });
    counters.arrived.add();
    answer(response, received.length);
  });
  server.on('connection', () => counters.connected.add());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/hook`, received, ...counters };
}

function startSender(options: Partial<WebhookSenderOptions> = {}) {
  const lines: unknown[] = [];
  const logged = createCounter();
  const sender = createWebhookSender({
    env: {},
    log: (level, message, fields) => {
      lines.push([level, message, fields]);
      logged.add();
    },
    delaysMs: [1, 1, 1, 1],
    ...options,
  });
  closers.push(() => sender.close(0));
  return { ...sender, lines, logged };
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : 'not a URL');

const delivered = (url: string, tries: number, status = 200) => [
  'info',
  'a webhook was delivered',
  { event: 'approval.created', approval_id: 'apr_1', origin: originOf(url), tries, status },
];

const givenUp = (url: string, tries: number, reason: unknown, ticket = 1) => [
  'error',
  'a webhook was given up',
  { event: 'approval.created', approval_id: `apr_${ticket}`, origin: originOf(url), tries, reason },
];

/** Sends one notification and waits for what is logged of it. */
async function sendAndWait(webhook: Webhook, options: Partial<WebhookSenderOptions> = {}) {
  const { send, lines, logged } = startSender(options);
  send(webhook, notification);
  await logged.reaches(1);
  return lines;
}

describe('what a receiver gets', () => {
  it('posts the exact bytes of the JSON text, signed in both headers', async () => {
    const { url, received } = await startReceiver(answerWith(204));
    const lines = await sendAndWait(webhookTo(url, { secret }));
    expect(received).toEqual([
      {
        method: 'POST',
        url: '/hook',
        headers: expect.objectContaining({
          'content-type': 'application/json',
          'x-signature-sha256': signature,
          'x-service-signature-256': `sha256=${signature}`,
        }),
        body: Buffer.from(body, 'utf8').toString('hex'),
      },
    ]);
    expect(lines).toEqual([delivered(url, 1, 204)]);
  });

  it('signs each repeat alike', async () => {
    const { url, received } = await startReceiver(answerWith(503, 200));
    await sendAndWait(webhookTo(url, { secret }));
    expect(received.map(({ headers, body }) => [headers['x-signature-sha256'], body])).toEqual(
      Array(2).fill([signature, Buffer.from(body).toString('hex')]),
    );
  });

  it('signs with the secret that the environment variable holds', async () => {
    const { url, received } = await startReceiver(answerWith(200));
    await sendAndWait(webhookTo(url, { secretEnv: 'HOOK_SECRET' }), { env: { HOOK_SECRET: secret } });
    expect(received.map(({ headers }) => headers['x-signature-sha256'])).toEqual([signature]);
  });

  it.each([{}, { HOOK_SECRET: undefined }, { HOOK_SECRET: '' }])(
    'sends nothing when the environment is %j and should hold the secret',
    async (env) => {
      const { url, received } = await startReceiver(answerWith(200));
      const lines = await sendAndWait(webhookTo(url, { secretEnv: 'HOOK_SECRET' }), { env });
      const reason = 'environment variable HOOK_SECRET, which holds the secret, is unset or empty';
      expect(lines).toEqual([givenUp(url, 0, reason)]);
      expect(received).toEqual([]);
    },
  );

  it('carries no signature without a secret, not even a configured one', async () => {
    const { url, received } = await startReceiver(answerWith(200));
    const headers = { 'x-signature-SHA256': 'forged', 'X-SERVICE-signature-256': 'sha256=forged' };
    await sendAndWait(webhookTo(url, { headers }));
    expect(Object.keys(received[0]?.headers ?? {}).filter((name) => name.includes('signature'))).toEqual([]);
  });

  it('adds configured headers, which cannot replace content type, signatures or the configured authorization', async () => {
    const { url, received } = await startReceiver(answerWith(200));
    const headers = {
      'X-Team': 'platform',
      'CONTENT-TYPE': 'text/plain',
      'X-SIGNATURE-sha256': 'forged',
      'x-Service-Signature-256': 'forged',
      AUTHORIZATION: 'Bearer other',
    };
    await sendAndWait(webhookTo(url, { secret, authHeader: 'Bearer own', headers }));
    expect(received[0]?.headers).toMatchObject({
      'x-team': 'platform',
      'content-type': 'application/json',
      'x-signature-sha256': signature,
      'x-service-signature-256': `sha256=${signature}`,
      authorization: 'Bearer own',
    });
  });

  it.each([
    ['Content-Length', '1'],
    ['transfer-encoding', 'gzip'],
    ['Connection', 'upgrade'],
    ['Keep-Alive', '1'],
    ['Upgrade', 'websocket'],
    ['Expect', '100-continue'],
    ['TE', 'trailers'],
    ['Trailer', 'X-Late'],
  ])('arrives whole where %s is configured, which is not for a webhook to set', async (name, value) => {
    const { url, received } = await startReceiver(answerWith(200));
    expect(await sendAndWait(webhookTo(url, { headers: { [name]: value } }))).toEqual([delivered(url, 1)]);
    expect(received.map(({ body }) => body)).toEqual([Buffer.from(body).toString('hex')]);
    expect(received[0]?.headers[name.toLowerCase()]).not.toBe(value);
  });

  it.each<[string, Partial<Webhook>, string | undefined]>([
    ['authHeader before all else', { authHeader: 'Bearer a', headers: { authorization: 'Bearer b' } }, 'Bearer a'],
    ['then a configured header', { headers: { authorization: 'Bearer b' } }, 'Bearer b'],
    ['then the credentials of the URL', {}, `Basic ${Buffer.from('ann:p@ss').toString('base64')}`],
  ])('takes the authorization from %s', async (_, rest, authorization) => {
    const { host, received } = await startReceiver(answerWith(200));
    await sendAndWait(webhookTo(`http://ann:p%40ss@${host}/hook?room=1`, rest));
    expect(received.map(({ url, headers }) => [url, headers.authorization])).toEqual([['/hook?room=1', authorization]]);
  });

  it('leaves the authorization out where nothing is configured', async () => {
    const { url, received } = await startReceiver(answerWith(200));
    await sendAndWait(webhookTo(url));
    expect(received[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('tries', () => {
  it.each([408, 425, 429, 500, 503, 599])('repeats after status %i until it is delivered', async (status) => {
    const { url, received } = await startReceiver(answerWith(status, status, 200));
    expect(await sendAndWait(webhookTo(url))).toEqual([delivered(url, 3)]);
    expect(received).toHaveLength(3);
  });

  it('gives up after five tries', async () => {
    const { url, received } = await startReceiver(answerWith(500));
    expect(await sendAndWait(webhookTo(url))).toEqual([givenUp(url, 5, 'answered with status 500')]);
    expect(received).toHaveLength(5);
  });

  it.each([400, 401, 404, 410, 422])('does not repeat after status %i', async (status) => {
    const { url, received } = await startReceiver(answerWith(status));
    expect(await sendAndWait(webhookTo(url))).toEqual([givenUp(url, 1, `answered with status ${status}`)]);
    expect(received).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('takes a redirect with status %i for a failure', async (status) => {
    const { url, received } = await startReceiver((response) =>
      response.writeHead(status, { location: '/elsewhere?token=planted' }).end(),
    );
    const reason = `answered with status ${status}; redirects are not followed`;
    expect(await sendAndWait(webhookTo(url))).toEqual([givenUp(url, 1, reason)]);
    expect(received.map(({ url }) => url)).toEqual(['/hook']);
  });

  it('repeats when the connection breaks', async () => {
    const { url, received } = await startReceiver((response, nth) =>
      nth === 1 ? response.destroy() : response.writeHead(200).end(),
    );
    expect(await sendAndWait(webhookTo(url))).toEqual([delivered(url, 2)]);
    expect(received).toHaveLength(2);
  });

  it('names the error code where no server listens', async () => {
    const url = 'http://127.0.0.1:2/hook'; // no system assigns this port for port 0
    expect(await sendAndWait(webhookTo(url))).toEqual([givenUp(url, 5, 'the request failed with ECONNREFUSED')]);
  });

  it('does not repeat what a rule of Portico refuses, and says so once', async () => {
    const { url, received, connected } = await startReceiver(answerWith(200));
    const egress = createEgress();
    egress.own.add(Number(new URL(url).port));
    let tries = 0;
    const counting: typeof fetch = (...given) => {
      tries += 1;
      return egress.fetch(...given);
    };
    const lines = await sendAndWait(webhookTo(url), { fetch: counting });
    expect(lines).toEqual([givenUp(url, 1, expect.stringContaining('(rule own-listener)'))]);
    expect([tries, received.length, connected.count]).toEqual([1, 0, 0]);
  });

  it('cuts a try that gets no answer, and repeats it', async () => {
    const { url, cutOff } = await startReceiver(neverAnswer);
    const lines = await sendAndWait(webhookTo(url), { timeoutMs: 100 });
    expect(lines).toEqual([givenUp(url, 5, 'no answer within 100 ms')]);
    await cutOff.reaches(1);
  });

  it('ends a try also when fetch ignores the signal', async () => {
    const fetch = () => new Promise<Response>(() => {});
    const url = 'http://hook.invalid/';
    const lines = await sendAndWait(webhookTo(url), { fetch, timeoutMs: 5 });
    expect(lines).toEqual([givenUp(url, 5, 'no answer within 5 ms')]);
  });

  it('does not wait for the end of a response body, and frees its connection', async () => {
    const { url, cutOff } = await startReceiver((response) => response.writeHead(200).write('the first of many'));
    expect(await sendAndWait(webhookTo(url))).toEqual([delivered(url, 1)]);
    await cutOff.reaches(1);
  });

  it('uses connections again', async () => {
    const { url, connected } = await startReceiver(answerWith(200));
    const { send, logged } = startSender();
    for (let nth = 1; nth <= 20; nth++) {
      send(webhookTo(url), notification);
      await logged.reaches(nth);
    }
    expect(connected.count).toBeLessThan(10);
  });
});

describe('the log', () => {
  const planted = 'planted-5ec2e7';
  const withSecrets = (host: string, rest: Partial<Webhook> = {}) =>
    webhookTo(`http://${planted}:${planted}@${host}/hook?token=${planted}#${planted}`, {
      secret: planted,
      authHeader: `Bearer ${planted}`,
      headers: { 'X-Key': planted },
      ...rest,
    });

  it.each<[string, Answer, Partial<Webhook>]>([
    ['was delivered', answerWith(200), {}],
    ['was refused', answerWith(400), {}],
    ['was redirected', (response) => response.writeHead(302, { location: `/${planted}` }).end(planted), {}],
    ['broke off', (response) => response.destroy(), {}],
    ['has a header value that cannot be sent', answerWith(200), { headers: { 'X-Key': `${planted}\n` } }],
    ['has a header name that cannot be sent', answerWith(200), { headers: { [`Authorization: ${planted}`]: '' } }],
    ['has an authorization that cannot be sent', answerWith(200), { authHeader: `${planted} 世界` }],
    ['has an address that is none', answerWith(200), { url: `http://${planted}:${planted}@/${planted}` }],
    ['has no secret', answerWith(200), { secret: null, secretEnv: 'HOOK_SECRET' }],
  ])('holds no secret of a webhook that %s', async (_, answer, rest) => {
    const { host } = await startReceiver(answer);
    const { send, lines, logged } = startSender();
    send(withSecrets(host, rest), { ...notification, body: JSON.stringify({ planted }) });
    await logged.reaches(1);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(planted);
    expect(JSON.stringify(lines)).not.toContain(Buffer.from(planted).toString('base64').slice(0, 12));
  });

  it('names origin and path of the URL', async () => {
    const { host } = await startReceiver(answerWith(200));
    expect(await sendAndWait(withSecrets(host))).toEqual([delivered(`http://${host}/hook`, 1)]);
  });

  it('says which header cannot be sent', async () => {
    const url = 'http://hook.invalid/';
    expect(await sendAndWait(webhookTo(url, { headers: { 'X-Key': 'a\nb' } }))).toEqual([
      givenUp(url, 0, 'header X-Key of the webhook has a value that HTTP does not allow'),
    ]);
  });

  it('may fail without an effect on what is sent later', async () => {
    const { url, arrived } = await startReceiver(answerWith(200));
    const { send } = startSender({
      log: () => {
        throw new Error('disk full');
      },
    });
    send(webhookTo('not a URL'), notification);
    send(webhookTo(url), notification);
    await arrived.reaches(1);
  });
});

const ofTicket = (nth: number): Notification => ({ ...notification, approvalId: `apr_${nth}` });

describe('many at once', () => {
  it('sends 16 side by side, holds 1000 and drops what is beyond', async () => {
    const { url, received, arrived } = await startReceiver(neverAnswer);
    const { send, lines } = startSender();
    for (let nth = 0; nth < 1018; nth++) send(webhookTo(url), ofTicket(nth));
    await arrived.reaches(16);
    const reason = '1000 webhooks are waiting already';
    expect(lines).toEqual([1016, 1017].map((nth) => givenUp(url, 0, reason, nth)));
    expect(received).toHaveLength(16);
  });

  it('delivers to one receiver while another never answers and has no place left', async () => {
    const dead = await startReceiver(neverAnswer);
    const { url } = await startReceiver(answerWith(200));
    const { send, lines, logged } = startSender();
    for (let nth = 0; nth < 1016; nth++) send(webhookTo(dead.url), ofTicket(nth));
    await dead.arrived.reaches(16);
    send(webhookTo(url), ofTicket(1));
    await logged.reaches(1);
    expect(lines).toEqual([delivered(url, 1)]);
  });

  it('delivers what waited', async () => {
    const { url } = await startReceiver(answerWith(200));
    const { send, lines, logged } = startSender();
    for (let nth = 0; nth < 100; nth++) send(webhookTo(url), notification);
    await logged.reaches(100);
    expect(lines).toEqual(Array(100).fill(delivered(url, 1)));
  });

  it('keeps the order of one ticket while a try is repeated, and lets others pass', async () => {
    const failing = new Set(['created']);
    const { url, received } = await startReceiver((response, nth) => {
      const body = Buffer.from(received[nth - 1]?.body ?? '', 'hex').toString();
      response.writeHead(failing.delete(body) ? 503 : 200).end();
    });
    const { send, logged } = startSender({ delaysMs: [200] });
    send(webhookTo(url), { ...notification, body: 'created' });
    send(webhookTo(url), { ...notification, body: 'approved' });
    send(webhookTo(url), { ...ofTicket(2), body: 'another' });
    await logged.reaches(3);
    const bodies = received.map(({ body }) => Buffer.from(body, 'hex').toString());
    expect(bodies.filter((body) => body !== 'another')).toEqual(['created', 'created', 'approved']);
    expect(bodies.indexOf('another')).toBeLessThan(2);
  });

  it('takes no place while it waits for the next try', async () => {
    const { url, arrived } = await startReceiver((response, nth) => response.writeHead(nth <= 16 ? 503 : 200).end());
    const { send, lines, logged } = startSender({ delaysMs: [3_600_000] });
    for (let nth = 0; nth < 16; nth++) send(webhookTo(url), ofTicket(nth));
    await arrived.reaches(16);
    send(webhookTo(url), ofTicket(16));
    await logged.reaches(1);
    expect(lines).toMatchObject([['info', 'a webhook was delivered', { approval_id: 'apr_16' }]]);
  });
});

describe('close', () => {
  it('waits for what is on its way', async () => {
    const responses: ServerResponse[] = [];
    const { url, arrived } = await startReceiver((response) => responses.push(response));
    const { send, close, lines } = startSender();
    send(webhookTo(url), notification);
    await arrived.reaches(1);
    const closed = close(60_000);
    responses[0]?.writeHead(200).end();
    await closed;
    expect(lines).toEqual([delivered(url, 1)]);
  });

  it('ends a delivery that hangs', async () => {
    const { url, arrived, cutOff } = await startReceiver(neverAnswer);
    const { send, close, lines } = startSender();
    send(webhookTo(url), notification);
    await arrived.reaches(1);
    await close(0);
    expect(lines).toEqual([givenUp(url, 1, 'the sender was closed')]);
    await cutOff.reaches(1);
  });

  it('ends a delivery that waits for its next try', async () => {
    const { url, received, arrived } = await startReceiver(answerWith(500));
    const { send, close, lines } = startSender({ delaysMs: [3_600_000] });
    send(webhookTo(url), notification);
    await arrived.reaches(1);
    await close(20);
    expect(lines).toEqual([givenUp(url, 1, 'the sender was closed')]);
    expect(received).toHaveLength(1);
  });

  it('gives up all that wait in the queue', async () => {
    const { url, received, arrived } = await startReceiver(neverAnswer);
    const { send, close, lines } = startSender();
    for (let nth = 0; nth < 100; nth++) send(webhookTo(url), ofTicket(nth));
    await arrived.reaches(16);
    await close(0);
    const ended = Array.from({ length: 100 }, (_, nth) => givenUp(url, nth < 16 ? 1 : 0, 'the sender was closed', nth));
    expect(lines).toEqual(ended);
    expect(received).toHaveLength(16);
  });

  it('a second time with less grace cuts the first short', async () => {
    const { url, arrived } = await startReceiver(neverAnswer);
    const { send, close, lines } = startSender();
    send(webhookTo(url), notification);
    await arrived.reaches(1);
    await Promise.all([close(3_600_000), close(0)]);
    expect(lines).toEqual([givenUp(url, 1, 'the sender was closed')]);
  });

  it('is followed by log lines only', async () => {
    const { url, received } = await startReceiver(answerWith(200));
    const { send, close, lines, logged } = startSender();
    await close(0);
    send(webhookTo(url), notification);
    await logged.reaches(1);
    expect(lines).toEqual([givenUp(url, 0, 'the sender is closed')]);
    expect(received).toEqual([]);
  });
});
