// Secrets under the keys that policy names reach the tool only: no log, no sanitized arguments, no webhook.
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, contacts, openTicket } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { startReceiver } from './support/receiver.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const defaultKeys = [
  'password',
  'passwd',
  'secret',
  'token',
  'api_key',
  'apikey',
  'access_token',
  'refresh_token',
  'client_secret',
  'authorization',
  'cookie',
  'private_key',
];

/** Every planted value starts with this, and no other text has it. */
const mark = 'PLANTED';

/** One secret in every place and spelling that redaction must reach, under these keys. */
function plant(keys: readonly string[]) {
  let count = 0;
  const secret = () => {
    count += 1;
    return `${mark}-${count}-zq`;
  };
  const spellings = keys.flatMap((key) => [key, key.toUpperCase(), key.replaceAll('_', '-'), capital(key)]);
  const object = () => Object.fromEntries(spellings.map((key) => [key, secret()]));
  return {
    ...object(),
    nested: { deeper: { still: object() } },
    list: [object(), [object()]],
    json: JSON.stringify({ kept: 'in text', ...object(), list: [object()] }),
    jsonInJson: JSON.stringify({ text: JSON.stringify(object()) }),
    whole: { [keys[0] ?? '']: { inside: secret(), list: [secret()] } },
    kept: 'kept value',
  };
}

const capital = (key: string) => key.replace(/(^|_)./g, (start) => start.toUpperCase());

async function setUp(policy: object) {
  const upstream = scripted({ tools: [tool('gated'), tool('complain'), tool('echo')] });
  const receiver = await startReceiver();
  const webhook = { url: receiver.url, secret: 'signing' };
  const config = { mcpServers: { s: upstream.server }, policy: { requireApproval: ['s.gated'], webhook, ...policy } };
  const connected = async <D extends Daemon>(daemon: D) => {
    await daemon.connected();
    return { upstream, receiver, daemon, approvals: approvalsOf(daemon) };
  };
  return { config, connected };
}

const logLevel = 'trace';

async function start(policy: object) {
  const { config, connected } = await setUp(policy);
  return connected(await startDaemon(config, { logLevel }));
}

/** For those that read what the process writes. */
async function startProcess(policy: object) {
  const { config, connected } = await setUp(policy);
  return connected(await startDaemonProcess(config, { logLevel }));
}

describe('secrets in arguments', () => {
  /** With the built-in list, for tests that look at their own tickets alone. */
  let shared: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    shared = await start({});
  });

  it.each([
    ['the built-in list', defaultKeys, {}],
    ['a configured list', ['my_pin', 'SSN'], { redactKeys: ['My-Pin', 'ssn'] }],
  ])(
    'under the keys of %s show nowhere but at the tool [policy-redaction-logs] [policy-redaction-sanitized-args] [approval-sanitized-args]',
    async (_, keys, policy) => {
      const { upstream, receiver, daemon, approvals } = await startProcess(policy);
      const args = plant(keys);
      const id = await openTicket(daemon, 's.gated', args);
      const modified_args = { ...plant(keys), note: 'modified' };
      const { status, body } = await approvals.approve(id, { operator: 'ada', modified_args });
      expect([status, body.result?.ok]).toEqual([200, true]);
      const rejected = await openTicket(daemon, 's.gated', args);
      await approvals.reject(rejected, { operator: 'ada', reason: 'no' });
      await daemon.call('s.complain', args);
      await daemon.call('s.echo', { ...args, _jsonpath: 'not a path' });
      await daemon.call('s.unknown', args);
      await daemon.send('/v1/tools/call', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"capability_id":"s.echo","args":${JSON.stringify(args)}`,
      });
      expect(contacts(upstream)).toEqual([modified_args, args]);

      const [one, two] = [await approvals.get(id), await approvals.get(rejected)];
      expect(two.args).toEqual(args); // a person decides on what runs
      for (const { sanitized_args } of [one, two]) {
        expect(JSON.stringify(sanitized_args)).not.toContain(mark);
        expect(sanitized_args).toMatchObject({
          kept: 'kept value',
          nested: { deeper: { still: {} } },
          list: [{}, [{}]],
        });
        expect(sanitized_args.whole).toEqual({}); // the key is dropped, with all that is under it
        expect(JSON.parse(sanitized_args.json as string)).toEqual({ kept: 'in text', list: [{}] });
      }
      await eventually(() => expect(receiver.deliveries).toHaveLength(4));
      for (const { raw } of receiver.deliveries) expect(raw.toString('utf8')).not.toContain(mark);
      const logs = await eventually(async () => {
        const answer = await daemon.get('/v1/servers/s/logs');
        expect(answer.text).toContain('kept value');
        return answer;
      });
      expect(logs.text).not.toContain(mark);
      expect(logs.text).not.toContain('signing');
      const { stderr } = await daemon.stop();
      expect(stderr).toContain('kept value');
      expect(stderr).not.toContain(mark);
      expect(stderr).not.toContain('signing');
    },
  );

  it('are shown under keys that a configured list does not name: it takes the place of the built-in one [policy-redaction-sanitized-args] [approval-sanitized-args] [policy-config-fields]', async () => {
    const { daemon, approvals } = await start({ redactKeys: ['pin'] });
    const args = { password: 'shown', Pin: 'gone', pins: 'shown', spin: 'shown', list: [{ PIN: 1, token: 'shown' }] };
    const { args: original, sanitized_args } = await approvals.get(await openTicket(daemon, 's.gated', args));
    expect(original).toEqual(args);
    expect(sanitized_args).toEqual({ password: 'shown', pins: 'shown', spin: 'shown', list: [{ token: 'shown' }] });
  });

  it('are all shown where the configured list is empty [policy-redaction-sanitized-args]', async () => {
    const { daemon, approvals } = await start({ redactKeys: [] });
    const { sanitized_args } = await approvals.get(await openTicket(daemon, 's.gated', { password: 'p' }));
    expect(sanitized_args).toEqual({ password: 'p' });
  });

  it('stay with what only looks like a key of the list, and other arguments stay as they are [approval-sanitized-args]', async () => {
    const { daemon, approvals } = shared;
    const args = {
      max_tokens: 5,
      passwords: ['a'],
      text: ' {"a": 1.0} ',
      secretary: 'x',
      empty: {},
      none: null,
      json: '{"b":1}',
      number: 1e21,
    };
    const { sanitized_args } = await approvals.get(await openTicket(daemon, 's.gated', args));
    expect(sanitized_args).toEqual(args);
  });

  it('of odd shape are dropped without a trace and without a crash [approval-sanitized-args] [policy-redaction-sanitized-args]', async () => {
    const { daemon, approvals } = shared;
    const deep = Array.from({ length: 60 }).reduce<object>((inner) => ({ inner }), { password: `${mark}-deep` });
    const body = `{"capability_id":"s.gated","args":{"__proto__":{"password":"${mark}"},"deep":${JSON.stringify(deep)},
      "twice":"{\\"password\\":\\"${mark}\\",\\"password\\":\\"${mark}-2\\"}","password":null,"token":[],"ok":1}}`;
    const answer = await daemon.post<{ error: { approval_id: string } }>('/v1/tools/call', body);
    expect(answer.status).toBe(202);
    const { sanitized_args } = await approvals.get(answer.body.error.approval_id);
    expect(JSON.stringify(sanitized_args)).not.toContain(mark);
    expect(Object.keys(sanitized_args)).not.toContain('password');
    expect(Object.keys(sanitized_args)).not.toContain('token');
    expect(sanitized_args.ok).toBe(1);
  });
});
