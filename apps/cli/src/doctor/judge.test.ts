// The findings that doctor derives from its observations.
import type { ServerInfo } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { explain, troubleshootingDocument } from './explain.js';
import { exitCodeOf, type Finding, ok, problem, toJson, toReport, warning } from './findings.js';
import { judgeClients, judgeDaemon, judgeNode, judgeProbe, judgeReach, judgeSearchModel, judgeState } from './judge.js';
import { problemCodes } from './pages.js';

const state = {
  directory: '/s',
  exists: true,
  isDirectory: true,
  isWritable: true,
  isOpenToOthers: false,
  holder: null,
  damage: undefined,
};
const server: ServerInfo = {
  id: 's',
  transport: 'stdio',
  status: 'connected',
  protocol_version: null,
  restarts: 0,
  queued: 0,
  running: 0,
  circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 },
  tools: 0,
  resources: 0,
  prompts: 0,
};

describe('doctor', () => {
  it.each([
    ['v20.18.9', 'node-too-old'],
    ['v18.20.0', 'node-too-old'],
    ['v20.19.0', null],
    ['v24.0.1', null],
  ])('judges Node %s', (version, code) => {
    expect(judgeNode(version).code).toBe(code);
  });

  it.each([
    [{}, null],
    [{ exists: false }, null],
    [{ holder: 7 }, null],
    [{ isWritable: false }, 'state-unwritable'],
    [{ isDirectory: false }, 'state-unwritable'],
    [{ isOpenToOthers: true }, 'state-open-to-others'],
  ])('judges a state directory with %o', (difference, code) => {
    expect(judgeState({ ...state, ...difference }).code).toBe(code);
  });

  it('names each definition that a running server has left out, with its reason', () => {
    const definition_problems = [
      { list: 'tools' as const, name: 'text', left_out: true, reason: 'inputSchema.type is "string", not "object"' },
      { list: 'tools' as const, name: 'mended', left_out: false, reason: 'dropped or repaired: title' },
    ];
    const [, ...findings] = judgeDaemon('http://u', { kind: 'here', servers: [{ ...server, definition_problems }] });
    expect(findings).toEqual([
      warning(
        'server-definition',
        'running s',
        'leaves "text" out of its tools: inputSchema.type is "string", not "object"',
      ),
    ]);
  });

  it('names each question of a running server that was refused, and what to set', () => {
    const refused_requests = [
      { method: 'sampling/createMessage' as const, reason: 'caller_cannot_answer' as const, count: 2 },
      { method: 'elicitation/create' as const, reason: 'not_declared_to_server' as const, count: 1 },
    ];
    const [, ...findings] = judgeDaemon('http://u', { kind: 'here', servers: [{ ...server, refused_requests }] });
    expect(findings).toEqual([
      warning(
        'server-refused',
        'running s',
        'asked sampling/createMessage 2 times and was refused: its callers could not be asked; set sampling.provider, or sampling.tickets: "always", to have it answered; set mcpServers.s.clientCapabilities to {"sampling": false} if it should not ask',
      ),
      warning(
        'server-refused',
        'running s',
        'asked elicitation/create once and was refused: mcpServers.s.clientCapabilities leaves out elicitation; remove that to have it answered',
      ),
    ]);
  });

  it('takes a running server that is disabled, open or waiting for a login for what it is', () => {
    const circuit = { ...server.circuit, state: 'open' as const };
    const servers: readonly ServerInfo[] = [
      server,
      { ...server, status: 'disabled' },
      { ...server, circuit },
      { ...server, login_url: 'u' },
    ];
    const codes = judgeDaemon('http://u', { kind: 'here', servers }).map(({ code }) => code);
    expect(codes).toEqual([null, 'server-disabled', 'server-circuit-open', 'server-login']);
  });

  it('names each rule that matches nothing, by its field', () => {
    const unmatched = [{ path: 'policy.deny[0]', pattern: 'gti.*' }];
    const [, ...findings] = judgeDaemon('http://u', { kind: 'here', servers: [], unmatched });
    expect(findings).toEqual([
      warning('rule-unmatched', 'configuration', 'policy.deny[0]: "gti.*" matches nothing that the servers list'),
    ]);
  });

  it('judges probes and clients', () => {
    const failed = { server: 's', kind: 'failed', reason: 'gone', durationMs: 3, wrote: ['one', 'two'] } as const;
    const report = (finding: Finding) => toReport([finding], false);
    expect(report(judgeProbe({ ...failed, transport: 'stdio' }))).toMatch(
      /server s {2}gone \(after 3 ms\)\n +\| one\n +\| two\n +next: Run its command by hand/,
    );
    expect(report(judgeProbe({ ...failed, transport: 'http', wrote: [] }))).toMatch(
      /gone \(after 3 ms\)\n +next: For a server with `url`: check that the address answers/,
    );
    const seen = { id: 'zed', name: 'Zed', attached: true, isCurrent: false, direct_servers: [] };
    expect(judgeClients([seen])[0]?.code).toBe('client-entry-differs');
    expect(toReport(judgeClients([seen]), false)).toContain('next: Attach it again: `portico clients attach zed`.');
    expect(judgeClients([{ ...seen, isCurrent: true }])[0]?.code).toBe(null);
    const [git, ext] = [
      { name: 'git', behind_as: 'repo', problem: null },
      { name: 'ext', behind_as: null, problem: 'is an extension' },
    ];
    const bypassing = { ...seen, isCurrent: true, direct_servers: [git, ext] };
    expect(toReport(judgeClients([bypassing]), false)).toContain(
      'Zed still reaches git (in Portico "repo"), ext (cannot be moved: is an extension) directly',
    );
    expect(toReport(judgeClients([bypassing]), false)).toContain('next: `portico clients move zed git`.');
    expect(toReport(judgeClients([{ ...bypassing, direct_servers: [ext] }]), false)).toContain('change its entry');
    expect(judgeClients([{ ...bypassing, attached: false }]).map(({ level }) => level)).toEqual(['ok']);
    expect(judgeClients([])).toEqual([ok('AI clients', 'no installed client was found')]);
  });

  it('names servers and files in the commands of the next step', () => {
    const servers: readonly ServerInfo[] = [{ ...server, status: 'disabled' }];
    const [, disabled] = judgeDaemon('http://u', { kind: 'here', servers });
    expect(JSON.parse(toJson([disabled as Finding])).findings[0].next).toBe(
      'Read its log with `portico server logs s`, fix the cause, then run `portico server restart s`.',
    );
  });

  it('reports problems first, then warnings', () => {
    const found = [
      ok('node', 'v22'),
      warning('state-open-to-others', 'state', '/s'),
      problem('port-taken', 'daemon', 'x'),
    ];
    const levels = toReport(found, false).match(/^(problem|warning|ok)\b/gm);
    expect(levels).toEqual(['problem', 'warning', 'ok']);
  });

  it('takes a damaged database and one that does not answer for problems', () => {
    expect(judgeState({ ...state, damage: 'state.db: no' }).code).toBe('state-damaged');
    expect(judgeReach('no answer')).toEqual([problem('storage-unreachable', 'storage', 'no answer')]);
    expect(judgeReach(undefined)).toEqual([]);
  });

  it('warns of a model of search that cannot be used', () => {
    expect(judgeSearchModel('en.bin: no such file')).toEqual([
      warning('search-model-unusable', 'search', 'en.bin: no such file'),
    ]);
    expect(judgeSearchModel(undefined)).toEqual([]);
  });

  it('ends with 1 for problems, and with 0 for warnings', () => {
    expect(exitCodeOf([ok('a', 'b'), warning('state-open-to-others', 'state', '/s')])).toBe(0);
    expect(exitCodeOf([problem('port-taken', 'daemon', 'x')])).toBe(1);
  });

  it('names the next step beside each finding, and lets no escape through', () => {
    const report = toReport([problem('server-failed', 'server s', '\u001b[2Jgone')], false);
    expect(report).toContain('problem  server s  ␛[2Jgone\n');
    expect(report).toContain('next: Run its command by hand and read what it says. (server-failed)');
    expect(report).toContain('1 problem, 0 warnings;');
    expect(JSON.parse(toJson([ok('node', 'v22')]))).toEqual({
      ok: true,
      findings: [{ level: 'ok', code: null, subject: 'node', message: 'v22', next: null }],
    });
  });

  it('explains every code, in the terminal and in the document', () => {
    for (const code of problemCodes) {
      expect(explain(code)).toMatch(new RegExp(`^${code}: .+\n\n.+\n\nLikely causes\n  - .+`));
      expect(troubleshootingDocument()).toContain(`## ${code}\n`);
    }
  });
});
