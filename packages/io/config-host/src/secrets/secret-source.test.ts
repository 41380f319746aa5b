// Secrets by URI: from the environment, from a stub of `op` on PATH, from a keyring behind its port.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Keyring, openSystemKeyring } from './keyring.js';
import { createSecretSource, type SecretSourceOptions } from './secret-source.js';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const lookUp = (uri: string, options: Partial<SecretSourceOptions> = {}, signal = AbortSignal.timeout(20_000)) =>
  createSecretSource({ env: {}, ...options })(uri, signal);

const found = (value: string) => ({ kind: 'found', value });
const missing = (reason: unknown) => ({ kind: 'missing', reason });

/** A folder with an `op` that runs this script. */
async function stubOp(script: string): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-op-'));
  folders.push(folder);
  const file = join(folder, 'op');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return { PATH: [folder, process.env.PATH].join(delimiter) };
}

describe('env://', () => {
  it('is a variable of the environment, to the letter', async () => {
    const env = { TOKEN: ' s3cret\n', EMPTY: '' };
    expect(await lookUp('env://TOKEN', { env })).toEqual(found(' s3cret\n'));
    expect(await lookUp('env://EMPTY', { env })).toEqual(found(''));
  });

  it('that is not there is missing', async () => {
    expect(await lookUp('env://NO_SUCH')).toEqual(missing('names an environment variable that is not set'));
    expect(await lookUp('env://')).toEqual(missing('names no environment variable; write env://NAME'));
  });
});

describe('op://', () => {
  const uri = "op://Private/it's $(touch x)/field?attribute=otp";

  it('is read by `op read` with the URI as one argument, and no shell', async () => {
    const env = await stubOp('printf "%s|%s|%s\\n" "$#" "$1" "$2"');
    expect(await lookUp(uri, { env })).toEqual(found(`2|read|${uri}`));
  });

  it.each([
    ['s3cret\\n', 's3cret'],
    ['s3cret', 's3cret'],
    ['s3cret\\r\\n', 's3cret'],
    [' two\\nlines \\n\\n', ' two\nlines \n'],
    ['', ''],
  ])('loses the one line end that op adds to %j', async (printed, value) => {
    expect(await lookUp(uri, { env: await stubOp(`printf '${printed}'`) })).toEqual(found(value));
  });

  it('is given the environment, for its own sessions and tokens', async () => {
    const env = { ...(await stubOp('echo "$OP_SERVICE_ACCOUNT_TOKEN"')), OP_SERVICE_ACCOUNT_TOKEN: 'ops_x' };
    expect(await lookUp(uri, { env })).toEqual(found('ops_x'));
  });

  it.each([
    ['echo s3cret; echo "no $2 s3cret" >&2; exit 3', 'op ended with code 3; run "op read" with this URI to see why'],
    ['echo s3cret; kill -9 $$', 'op ended; run "op read" with this URI to see why'],
    ['echo s3cret; exec sleep 60', 'op gave no answer within 500 ms; it may wait to be unlocked', 500],
    ['yes s3cret', 'op gave more than 65536 bytes'],
  ])('says why it cannot be read, and nothing of what op wrote: %s', async (script, reason, limitMs = 20_000) => {
    const result = await lookUp(uri, { env: await stubOp(script), limitMs });
    expect(result).toEqual(missing(`cannot be read: ${reason}`));
  });

  it('says that there is no op, and that what it gave is no text', async () => {
    expect(await lookUp(uri, { env: { PATH: '/nowhere' } })).toEqual(
      missing('cannot be read: the command op (1Password CLI) is not on the PATH of the service'),
    );
    expect(await lookUp(uri, { env: await stubOp("printf '\\377'") })).toEqual(
      missing('cannot be used: op gave bytes that are no text (UTF-8)'),
    );
  });

  it('ends with its signal', async () => {
    const aborting = new AbortController();
    const looking = lookUp(uri, { env: await stubOp('exec sleep 60') }, aborting.signal);
    aborting.abort(new Error('no time left'));
    await expect(looking).rejects.toThrow('no time left');
  });
});

describe('keychain://', () => {
  const entries = new Map([
    ['portico|ann', 's3cret\n'],
    ['a/b|c d/e', 'escaped'],
  ]);
  const keyring: Keyring = {
    read: async (service, account) => entries.get(`${service}|${account}`) ?? null,
    write: () => Promise.reject(new Error('not asked to')),
  };
  const openKeyring = async () => keyring;

  it('is an entry of the keyring, by service and account', async () => {
    expect(await lookUp('keychain://portico/ann', { openKeyring })).toEqual(found('s3cret\n'));
    expect(await lookUp('keychain://a%2Fb/c%20d/e', { openKeyring })).toEqual(found('escaped'));
  });

  it.each([
    ['keychain://portico/bob', 'names an entry that the keyring does not have'],
    ['keychain://portico', 'names no entry; write keychain://SERVICE/ACCOUNT'],
    ['keychain:///ann', 'names no entry; write keychain://SERVICE/ACCOUNT'],
    ['keychain://portico/%zz', 'names no entry; write keychain://SERVICE/ACCOUNT'],
  ])('%s is missing', async (uri, reason) => {
    expect(await lookUp(uri, { openKeyring })).toEqual(missing(reason));
  });

  it('repeats nothing of the output of a keyring, waits for a limited time, and ends with its signal', async () => {
    const answering = (read: Keyring['read']) => ({ openKeyring: async () => ({ ...keyring, read }), limitMs: 50 });
    const refusing = answering(() => Promise.reject(new Error('portico ann s3cret')));
    expect(await lookUp('keychain://portico/ann', refusing)).toEqual(missing('cannot be read: the keyring refused it'));
    const locked = answering(() => new Promise(() => {}));
    expect(await lookUp('keychain://portico/ann', locked)).toEqual(
      missing('cannot be read: the keyring gave no answer within 50 ms; it may wait to be unlocked'),
    );
    const aborted = lookUp('keychain://portico/ann', { ...locked, limitMs: 60_000 }, AbortSignal.timeout(10));
    await expect(aborted).rejects.toThrow();
  });

  it('is the keyring of this machine, or says that there is none', async () => {
    const [service, account] = ['portico-test', 'secret-source']; // the same each time: a real keyring keeps it
    const real = await openSystemKeyring();
    const isWritten = await real.write(service, account, 's3cret').then(
      () => true,
      () => false,
    );
    expect(await lookUp(`keychain://${service}/${account}`)).toEqual(
      isWritten ? found('s3cret') : missing(expect.stringMatching(/^cannot be read: .*keyring/)),
    );
  });
});
