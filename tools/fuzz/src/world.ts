// The fuzzed system: a daemon with upstreams of every kind, and things in it that requests can name.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nullStdioPath } from '@portico-tools/fixtures/paths';
import fc from 'fast-check';
import { missingFolder } from '../../e2e/src/support/missing.js';
import type { Scope } from '../../faults/src/scope.js';
import { type HttpUpstream, startHttpUpstream } from './http-upstream.js';
import type { Hints } from './requests/bodies.js';
import type { CaseHints } from './requests/http-cases.js';
import { oddText, oddValue } from './requests/odd.js';
import { type Service, startService } from './service.js';

export interface World {
  readonly service: Service;
  readonly hints: CaseHints;
  /** Puts the configuration back as it was. */
  restore(): Promise<void>;
}

const serverIds = ['one', 'two', 'remote'];

export async function openWorld(scope: Scope): Promise<World> {
  const remote = await startHttpUpstream(scope);
  const service = await startService(scope, () => configOf(remote));
  await service.connected(...serverIds);
  writeClientFiles(service.env.HOME ?? service.folder);
  const known = await makeThings(service);
  return {
    service,
    hints: hintsOf(service, remote, known),
    async restore() {
      // In one step: the service watches the file.
      const next = `${service.configFile}.next`;
      writeFileSync(next, JSON.stringify({ ...configOf(remote), mcpHttpServer: { port: 0 } }));
      renameSync(next, service.configFile);
      await service.post('/v1/config/reload', {});
      await service.connected(...serverIds);
    },
  };
}

function configOf(remote: HttpUpstream): object {
  const resilience = { failureThreshold: 3, cooldownMs: 100, consecutiveSuccesses: 1, maxRestarts: 100_000 };
  const stdio = (...flags: readonly string[]) => ({
    command: process.execPath,
    args: [nullStdioPath, ...flags],
    resilience,
  });
  return {
    toolTimeoutMs: 300,
    mcpServers: { one: stdio(), two: stdio('--modern'), remote: { url: remote.url, resilience } },
    capabilityAliases: { hello: { target: 'one.echo', passthrough: true } },
    profiles: { all: { servers: [...serverIds] }, half: { servers: ['two'] } },
    policy: {
      deny: ['*.whoami'],
      requireApproval: ['one.structured', 'remote.plain', 'two.fixture://binary'],
      approvalTimeoutSecs: 2,
    },
    audit: { filePath: 'audit.jsonl' },
  };
}

function writeClientFiles(home: string): void {
  const write = (file: string, text: string) => {
    mkdirSync(join(home, file, '..'), { recursive: true });
    writeFileSync(join(home, file), text);
  };
  write('.cursor/mcp.json', JSON.stringify({ mcpServers: { found: { command: `${missingFolder}/found` } } }));
  write('.claude.json', '{ "mcpServers": [] }');
  write('broken.json', '{ "mcpServers": ');
}

interface Known {
  readonly approvals: readonly string[];
  readonly samples: readonly string[];
  readonly tasks: readonly string[];
}

/** Tickets and tasks of every kind, and outcomes under keys. */
async function makeThings({ post }: Service): Promise<Known> {
  const call = (capability_id: string, args: object, headers = {}) =>
    post<Made>('/v1/tools/call', { capability_id, args }, headers);
  const approvals: string[] = [];
  const tasks: string[] = [];
  const samples: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    const gated = await call('one.structured', { celsius: n });
    if (gated.error?.approval_id !== undefined) approvals.push(gated.error.approval_id);
    const task = await call('one.sleep', { ms: n * 40 }, { Prefer: 'respond-async' });
    if (task.data?.task !== undefined) tasks.push(task.data.task.task_id);
    const message = { role: 'user', content: { type: 'text', text: 'hello' } };
    const sample = await post<Made>(
      '/v1/sampling/create_message',
      { server_id: 'one', messages: [message] },
      { Prefer: 'respond-async' },
    );
    if (sample.data?.ticket_id !== undefined) samples.push(sample.data.ticket_id);
    await call('one.echo', { text: String(n) }, { 'Idempotency-Key': `key-${n % 4}-${n}` });
  }
  if (approvals.length * tasks.length * samples.length === 0) throw new Error('nothing was made that could be named');
  return { approvals, samples, tasks };
}

interface Made {
  readonly error?: { readonly approval_id?: string };
  readonly data?: { readonly ticket_id?: string; readonly task?: { readonly task_id: string } };
}

const tools = [
  'null_call',
  'echo',
  'sleep',
  'fail',
  'error_result',
  'big',
  'odd_result',
  'whoami',
  'structured',
  'add_tool',
  'say',
  'touch_resource',
];
const capability = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...serverIds.flatMap((id) => tools.map((name) => `${id}.${name}`))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'hello',
      'two.confirm',
      'two.region_call',
      'two.crash',
      'remote.drop',
      'one.none',
      'nowhere.echo',
    ),
  },
  { weight: 1, arbitrary: oddText },
);
const prompt = fc.oneof(fc.constantFrom('one.greet', 'two.greet', 'one.plain', 'remote.plain', 'one.none'), oddText);
const resource = fc.oneof(
  fc.constantFrom(
    'one.fixture://text',
    'two.fixture://binary',
    'remote.fixture://item/7',
    'one.fixture://item/{id}',
    'one.fixture://none',
  ),
  oddText,
);
const toolArgs = fc.oneof(
  fc.record({ text: oddText }),
  fc.record({ ms: fc.constantFrom(0, 1, 500, -1, '5') }),
  fc.record({ celsius: fc.constantFrom(20, 1.5, -0, 'warm') }),
  fc.record({ bytes: fc.constantFrom(0, 10, 100_000, 2_000_000) }),
  fc.record(
    {
      text: fc.constant('a\nb'),
      _truncate_bytes: oddValue,
      _limit_lines: oddValue,
      _jsonpath: fc.constantFrom('$', '$..*', '$.content[0].text', '$[?(@.a==1)]', '$[?match(@, "(a+)+b")]', 'x', ''),
    },
    { requiredKeys: ['text'] },
  ),
  fc.constant({}),
);

function bodyHints({ folder, env }: Service, remote: HttpUpstream): Hints {
  const safeUrl = fc.constantFrom(
    remote.url,
    'http://127.0.0.1:9/mcp',
    'http://[::1',
    'ftp://127.0.0.1/',
    'http://169.254.169.254/',
    '//x',
  );
  const name = fc.constantFrom('one', 'two', 'new-1', 'new-2', 'a.b', '');
  const home = env.HOME ?? folder;
  return {
    capability_id: capability,
    prompt_id: prompt,
    resource_id: resource,
    ref_name: fc.oneof(prompt, resource),
    args: toolArgs,
    arguments: fc.oneof(fc.record({ name: oddText }), fc.constant({})),
    modified_args: fc.oneof(fc.record({ celsius: fc.double() }), fc.constant({})),
    request_id: fc.constantFrom('req-1', 'req-2', 'x'.repeat(1024)),
    idempotency_key: fc.constantFrom('key-1', 'key-2', 'key-3'),
    server_id: fc.constantFrom(...serverIds, 'none'),
    server_ids: fc.array(fc.constantFrom(...serverIds, 'none'), { maxLength: 3 }),
    operator: fc.constantFrom('fuzz', 'é'),
    query: fc.oneof(fc.constantFrom('echo', 'add two numbers', 'resorce'), oddText),
    // Programs that end by themselves, and addresses of this machine only.
    command: fc.constantFrom(process.execPath, `${missingFolder}/server`, '', 'a\0b', '.', '/etc/passwd'),
    env: fc.oneof(
      fc.constant({ A: 'b' }),
      fc.dictionary(fc.constantFrom('A', '__proto__', 'A=B', '', 'a\0'), fc.constantFrom('x', 'a\0b', '********')),
    ),
    url: safeUrl,
    authorizationServerUrl: fc.constantFrom('http://127.0.0.1:9/', 'x'),
    clientMetadataUrl: fc.constantFrom('http://127.0.0.1:9/c', 'x'),
    source_path: fc.constantFrom(
      join(home, '.cursor/mcp.json'),
      join(home, '.claude.json'),
      join(home, 'broken.json'),
      home,
      '/dev/null',
      '/none',
      'relative',
    ),
    name,
    servers: fc.array(fc.constantFrom(...serverIds, 'none', ''), { maxLength: 3 }),
    alias: fc.oneof(fc.constantFrom('hello', 'again', 'one.echo', 'two'), oddText),
    target: fc.oneof(capability, prompt, resource),
    allow: fc.array(fc.constantFrom('*', 'one.*', 'x', '*'.repeat(500)), { maxLength: 2 }),
    deny: fc.array(fc.constantFrom('two.*', 'x', `${'*a'.repeat(400)}`), { maxLength: 2 }),
    secret_env: fc.constantFrom('HOME', 'NONE'),
    tokenEnv: fc.constantFrom('HOME', 'NONE'),
    token: fc.constantFrom('********', 'x', 'env:HOME'),
  };
}

function hintsOf(service: Service, remote: HttpUpstream, known: Known): CaseHints {
  const from = (ids: readonly string[]) => fc.constantFrom(...ids, 'none');
  return {
    path: {
      'id /v1/capabilities': capability,
      'id /v1/operations': fc.constantFrom('req-1', 'req-2', 'none'),
      'key /v1/idempotency/records': fc.constantFrom('key-0-0', 'key-1-1', 'key-1', 'none'),
      'id /v1/approvals': from(known.approvals),
      'id /v1/sampling/requests': from(known.samples),
      'id /v1/tasks': from(known.tasks),
      'id /v1/audit/events': fc.constantFrom('aud-000000000001', 'aud-000000000009', 'aud-999999999999', 'aud-1'),
      'id /v1/clients': fc.constantFrom('cursor', 'claude-code', 'codex', 'zed', 'vscode', 'none'),
      'id /v1/servers': fc.constantFrom(...serverIds, 'none'),
      'id /v1/config/servers': fc.constantFrom(...serverIds, 'new-1', 'none'),
      'id /v1/config/profiles': fc.constantFrom('all', 'half', 'none'),
    },
    query: {
      status: fc.constantFrom('pending', 'approved', 'completed', 'success', 'failed', 'working', 'expired', 'none'),
      limit: fc.constantFrom('1', '10', '1000', '1001', '0', '-1', 'x', '1.5'),
      offset: fc.constantFrom('0', '1', '9007199254740991', '9007199254740993', '-1'),
      format: fc.constantFrom('jsonl', 'csv', 'xml'),
      server_id: fc.constantFrom(...serverIds, 'none'),
      event_type: fc.constantFrom('tool_call', 'config_change', 'none'),
      start_time: fc.constantFrom('2020-01-01T00:00:00Z', '0', '1e3', 'yesterday', '99999999999999'),
      end_time: fc.constantFrom('2030-01-01T00:00:00Z', '0', 'never'),
      capability_id: capability,
      after: fc.constantFrom('0', '1', 'x'),
    },
    body: bodyHints(service, remote),
  };
}

/** For the report: whether the audit file is there. */
export function auditFileOf({ folder }: Service): string {
  const file = join(folder, 'audit.jsonl');
  if (!existsSync(file)) throw new Error(`no audit file ${file}`);
  return file;
}
