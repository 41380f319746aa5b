// The file of `envFile`: only a regular one of a limited size is read, and its values are not shown.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConfig } from '@portico/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  cleanUp,
  node,
  onCleanup,
  openConnector,
  patience,
  recordEvents,
  stdioServer,
  waitUntil,
} from '../testing/kit.js';
import { isPlainSetting, readEnvFile } from './env-file.js';

afterEach(cleanUp);

function newFile(content: string | Buffer = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-env-'));
  onCleanup(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, '.env');
  writeFileSync(file, content);
  return file;
}

function newPipe(): string {
  const pipe = `${newFile()}.pipe`;
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

function withFile(envFile: string, script = ''): ServerConfig {
  const server = stdioServer(node, ['-e', script]);
  return { ...server, transport: { ...server.transport, envFile } as ServerConfig['transport'] };
}

const tooLarge = () => {
  const file = newFile();
  truncateSync(file, 1024 * 1024 + 1);
  return file;
};

describe('a server is not started, and its failure names the file, where that', () => {
  it.runIf(process.platform !== 'win32').each([
    ['is a named pipe', newPipe, 'is no regular file; name a text file with NAME=value lines'],
    ['is a device', () => '/dev/zero', 'is no regular file; name a text file with NAME=value lines'],
    ['is a directory', tmpdir, 'is no regular file; name a text file with NAME=value lines'],
    ['is too large', tooLarge, 'has more than 1048576 bytes; name a smaller file'],
    ['holds NUL', () => newFile('KEY=canary-1\0'), 'holds a NUL character; save it as UTF-8 text'],
  ])('%s', async (_what, make, said) => {
    const file = make();
    await expect(openConnector().connect('s', withFile(file), recordEvents(), patience())).rejects.toMatchObject({
      message: `envFile: ${file} ${said}`,
      detail: { kind: 'unreachable', sent: false },
    });
  });
});

it('is not waited for any longer when connecting is aborted', async () => {
  const aborting = new AbortController();
  const reading = readEnvFile(newFile('A=1'), aborting.signal);
  aborting.abort(new Error('no time left'));
  await expect(reading).rejects.toMatchObject({
    message: 'gave up connecting: no time left',
    detail: { kind: 'unreachable', sent: false },
  });
});

it('values of a child are masked in its output under any name, except for plain words and paths', async () => {
  const values = ['TARGET=postgres://u:canary-9@h/db', 'PLACE=production', 'HOME_OF=/srv/data', 'SIZE=5'];
  const script = 'const e = process.env; console.error(e.TARGET, e.PLACE, e.HOME_OF, e.SIZE); process.exit(1)';
  const events = recordEvents();
  const connecting = openConnector().connect('s', withFile(newFile(values.join('\n')), script), events, patience());
  await expect(connecting).rejects.toThrow('the process exited with code 1');
  await waitUntil(() => events.logs.length > 0, 'the child has written');
  expect([...new Set(events.logs)]).toEqual(['[REDACTED] production /srv/data 5']);
});

it.each([
  ['production', true],
  ['DEBUG', true],
  ['/var/lib/my-server/data.db', true],
  ['C:\\Users\\ann\\data', true],
  ['./keys', true],
  ['hunter2', false],
  ['correcthorsebatterystaple', false],
  ['/wJalrXUtnFEMI7/K7MDENG', false],
  ['/bot?token=canary', false],
  ['https://hooks.example.com/T0/B0', false],
])('%j is a plain setting: %j', (value, isPlain) => {
  expect(isPlainSetting(value)).toBe(isPlain);
});
