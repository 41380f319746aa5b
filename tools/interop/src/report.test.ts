import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clients } from './clients.js';
import { compareServer, type Found } from './compare-server.js';
import { writeInto } from './document.js';
import { explained, staleExplanations } from './explained.js';
import type { RawSession } from './raw-session.js';
import { clientDifferences, clientTable, serverDifferences, serverTable } from './report.js';
import { type Step, steps } from './run-client.js';
import { servers } from './servers.js';
import type { Row } from './try-clients.js';

const [client] = clients;
const [server] = servers;
if (client === undefined || server === undefined) throw new Error('there are no clients or servers');

const rowOf = (
  cells: Readonly<Partial<Record<Step, Row['cells'] extends ReadonlyMap<Step, infer Cell> ? Cell : never>>>,
) => {
  const all = steps.map((step) => [step, cells[step] ?? ({ kind: 'same' } as const)] as const);
  return { client, route: 'stdio', cells: new Map(all) } as const;
};

describe('the table of clients', () => {
  it('has a line for each client and transport, and a note for what is not plainly the same', () => {
    const rows = [rowOf({ elicitation: { kind: 'lacks', reason: 'it knows none' }, restart: { kind: 'again' } })];
    const [head, , line, , ...notes] = clientTable(rows);
    expect(head).toBe(`| Client | ${steps.join(' | ')} |`);
    expect(line).toBe(
      `| ${client.title} ${client.version}, stdio |${' same |'.repeat(6)} – (1) |${' same |'.repeat(4)} same (2) |`,
    );
    expect(notes[0]).toBe('1. Not possible with this client: it knows none.');
    expect(notes).toHaveLength(2);
    expect(clientDifferences(rows)).toEqual([]);
  });

  it('has unexplained differences beside it', () => {
    const rows = [rowOf({ call: { kind: 'differs', direct: '{"a":1}', portico: '{"a":2}' } })];
    expect(clientTable(rows)[2]).toContain('| **differs** |');
    expect(clientDifferences(rows)).toEqual([
      `DIFFERS ${client.id} ${client.version} over stdio, call`,
      '  the server itself: {"a":1}',
      '  through Portico:   {"a":2}',
    ]);
  });

  it('misses no explanation of a difference that has been removed', () => {
    const [entry] = explained;
    const explainedClient = clients.find(({ id }) => id === entry?.client);
    if (entry === undefined || explainedClient === undefined) throw new Error('nothing is explained');
    const row: Row = { ...rowOf({}), client: explainedClient, route: entry.route };
    expect(staleExplanations([row])).toEqual([`${entry.client} over ${entry.route}, ${entry.step}`]);
  });
});

describe('the comparison of a server', () => {
  const session = (tool: string, result: string): RawSession => ({
    request: async () => result,
    list: async (method) => (method === 'tools/list' ? [tool] : []),
    close: async () => {},
  });

  it('counts what is the same byte for byte, and names what is not', async () => {
    const direct = session('{"name":"a", "description":"1.0"}', '{"content":[1.0],"resultType":"complete"}');
    const portico = session(`{"name":"${server.id}__a","description":"1.0"}`, '{"content":[1]}');
    const calls = [{ method: 'tools/call', name: 'a' }] as const;
    const url = 'data:application/json,{"capability":{"input_schema":{}},"data":{"content":[1.0]}}#';
    const found = await compareServer(server, calls, { direct, portico, url });
    expect([...found.counts]).toEqual([
      ['tools', 1],
      ['HTTP schemas', 1],
      ['results', 1],
      ['HTTP results', 1],
    ]);
    expect(found.differences.map(({ check }) => check)).toEqual(['HTTP schemas', 'results']);
    expect(serverDifferences([found])).toContain('  through Portico:   {"content":[1]}');
    expect(serverTable([found])[2]).toContain('| 1 (**1 differ**) |');
  });
});

describe('docs/interop.md', () => {
  const document = readFileSync(new URL('../../../docs/interop.md', import.meta.url), 'utf8');

  it('has a line for each client and each server, in the versions that are tried', () => {
    const lines = [
      ...clients.flatMap(({ title, version, routes }) =>
        routes.map((route) => `| ${title} ${version}, ${route === 'http' ? 'HTTP' : route} |`),
      ),
      ...servers.map(({ package: name, version }) => `| ${name} ${version} |`),
    ];
    expect(lines.filter((line) => !document.includes(`\n${line}`))).toEqual([]);
    expect(document).not.toContain('**');
  });

  it('keeps what stands around the part that a run writes', () => {
    const found: Found = { server, counts: new Map([['tools', 3]]), differences: [] };
    const written = writeInto(document, [rowOf({})], [found]);
    const [before, after] = [document.indexOf('<!-- what'), document.length - document.lastIndexOf('<!-- what')];
    expect(written.slice(0, before)).toBe(document.slice(0, before));
    expect(written.slice(-after)).toBe(document.slice(-after));
    expect(written).toContain(`| ${server.package} ${server.version} | 3 |`);
    expect(writeInto(written, [rowOf({})], [found])).toBe(written);
  });
});
