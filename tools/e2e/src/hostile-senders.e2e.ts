// Requests of Portico to addresses of its configuration: webhooks, records for a SIEM, questions for keys, for vectors
// and for messages of a model. Each goes through the guard: none reaches a listener of Portico itself, named or by a
// redirect.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startIssuer } from './support/issuer.js';
import { samplingOf } from './support/sampling.js';
import { fixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';

/** The port of a listener of Portico counts at each address of the machine: here a counter can have it as well. */
const besidePortico = '127.0.0.2';

interface Victim {
  readonly port: number;
  readonly url: string;
  /** Connections and requests, either of which may be all that arrives. */
  readonly seen: () => number;
}

/** @param location where it redirects to; else it takes everything */
async function startVictim(host: string, location?: string): Promise<Victim> {
  let seen = 0;
  const server = createServer((_request, response) => {
    seen += 1;
    if (location === undefined) response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}');
    else response.writeHead(307, { location }).end();
  });
  server.on('connection', () => {
    seen += 1;
  });
  await listen(server, host);
  onCleanup(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return { port, url: `http://${host}:${port}`, seen: () => seen };
}

/** On a port below those that the system gives away, so that it stays free at 127.0.0.1 for a listener of Portico. */
async function listen(server: Server, host: string, triesLeft = 20): Promise<void> {
  server.listen(15_000 + Math.floor(Math.random() * 15_000), host);
  const problem: unknown = await once(server, 'listening').then(
    () => null,
    (error) => error,
  );
  if (problem === null) return;
  if (triesLeft === 0) throw problem;
  return listen(server, host, triesLeft - 1);
}

interface Sender {
  readonly what: string;
  /** @param url where it sends to */
  readonly config: (url: string) => object;
  /** Has it send something. */
  readonly trigger: (daemon: Daemon) => Promise<unknown>;
  /** Lines of the log about what was not sent. */
  readonly complaint: string;
}

const admin = { authorization: 'Bearer of-the-test' };

const senders: readonly Sender[] = [
  {
    what: 'a webhook',
    config: (url) => ({ policy: { requireApproval: ['git.*'], webhook: { url } } }),
    trigger: (daemon) => daemon.call('git.echo', { text: 'x' }),
    complaint: 'a webhook was given up',
  },
  {
    what: 'audit records for a SIEM',
    config: (url) => ({ audit: { flushIntervalMs: 20, siem: { targets: [{ type: 'webhook', url }] } } }),
    trigger: (daemon) => daemon.call('git.echo', { text: 'x' }),
    complaint: 'audit records do not reach a SIEM target; they are sent until they do',
  },
  {
    what: 'a question for the keys of a token issuer',
    config: (url) => ({
      rbac: {
        roles: { boss: { admin: true } },
        tokens: [{ role: 'boss', token: 'of-the-test' }],
        jwt: { issuer: 'https://issuer.example', audience: 'portico', jwksUrl: url },
      },
    }),
    trigger: async (daemon) => {
      const token = (await startIssuer()).token({ iss: 'https://issuer.example', role: 'boss' });
      const { status } = await daemon.list('capabilities', { authorization: `Bearer ${token}` });
      expect(status).toBe(401);
    },
    complaint: 'the keys of the token issuer cannot be read; tokens are refused',
  },
  {
    what: 'texts for an embedder',
    config: (url) => ({ search: { embeddings: { provider: 'openai', url, model: 'm' } } }),
    trigger: async () => {},
    complaint: 'the embedder fails; search uses words only',
  },
  {
    what: 'a question for a sampling provider',
    config: (url) => ({ sampling: { provider: { kind: 'openai_compatible', url, model: 'm' } } }),
    trigger: (daemon) => samplingOf(daemon).open({ server_id: 'git' }),
    complaint: 'the sampling provider gave no answer; the ticket waits for people',
  },
];

describe.runIf(process.platform === 'linux').each(senders)('$what', ({ config, trigger, complaint }) => {
  /** A daemon that sends to the address, when it has sent or said that it does not. */
  const startWith = async (url: string, port: number) => {
    const mcpServers = { git: fixture() };
    const daemon = await startDaemon({ mcpServers, mcpHttpServer: { port }, ...config(url) });
    await eventually(async () => {
      const { body } = await daemon.get<{ servers: readonly { status: string }[] }>('/v1/servers', admin);
      expect(body.servers[0]?.status).toBe('connected');
    });
    await trigger(daemon);
    const complaints = () => daemon.log().filter(({ message }) => message === complaint);
    return { daemon, complaints };
  };

  it('is not sent to where Portico listens itself, and the log names the rule once', async () => {
    const victim = await startVictim(besidePortico);
    const { complaints } = await startWith(`${victim.url}/v1/config/import`, victim.port);
    await eventually(() => expect(complaints()).toHaveLength(1));
    expect(JSON.stringify(complaints())).toContain(
      `${besidePortico}:${victim.port} is a listener of Portico itself, which Portico never connects to (rule own-listener)`,
    );
    expect(victim.seen()).toBe(0);
    expect(complaints()).toHaveLength(1);
    if (complaint === 'a webhook was given up') expect(complaints()[0]).toMatchObject({ tries: 1 });
  });

  it('is not sent there by a redirect of the address that is configured', async () => {
    const victim = await startVictim(besidePortico);
    const hop = await startVictim('127.0.0.1', `${victim.url}/v1/config/import`);
    const { complaints } = await startWith(hop.url, victim.port);
    await eventually(() => expect(complaints().length).toBeGreaterThan(0));
    expect(hop.seen()).toBeGreaterThan(0);
    expect(victim.seen()).toBe(0);
  });

  it('is sent to another port of the same address', async () => {
    const [victim, other] = [await startVictim(besidePortico), await startVictim(besidePortico)];
    await startWith(victim.url, other.port);
    await eventually(() => expect(victim.seen()).toBeGreaterThan(0));
    expect(other.seen()).toBe(0);
  });
});
