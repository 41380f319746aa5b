// The file that answers each path, and its headers.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWebConsole, type WebConsole } from './web-console.js';

let folder: string;
let webConsole: WebConsole;
const nothing = () => undefined;
const headers = (given: Readonly<Record<string, string>>) => (name: string) => given[name];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portico-console-'));
  mkdirSync(join(folder, 'app/assets'), { recursive: true });
  writeFileSync(join(folder, 'app/index.html'), '<html>');
  writeFileSync(join(folder, 'app/assets/a-1.js'), 'run()');
  writeFileSync(join(folder, 'app/assets/a-1.js.gz'), 'packed');
  writeFileSync(join(folder, 'secret.js'), 'secret');
  webConsole = await openWebConsole(join(folder, 'app'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (path: string) => {
  const body = webConsole(path, nothing)?.body;
  return body === null || body === undefined ? undefined : new TextDecoder().decode(body);
};

test.each(['/', '/ui', '/ui/', '/ui/servers', '/ui/servers/a.b'])('%s is the app', (path) => {
  expect(textOf(path)).toBe('<html>');
});

test.each([
  '/ui/../secret.js',
  '/ui/%2e%2e/secret.js',
  '/ui/assets/../../secret.js',
  '/ui/assets/gone.js',
  '/ui/a-1.js',
])('%s is nothing', (path) => {
  expect(webConsole(path, nothing)).toBeUndefined();
});

test('files with names of their own are cached permanently, the page is requested again', () => {
  expect(textOf('/ui/assets/a-1.js')).toBe('run()');
  expect(webConsole('/ui/assets/a-1.js', nothing)?.headers).toMatchObject({
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': 'public, max-age=31536000, immutable',
  });
  const first = webConsole('/ui', nothing);
  expect(first?.headers['Cache-Control']).toBe('no-cache');
  const etag = first?.headers.ETag ?? '';
  expect(webConsole('/ui', headers({ 'If-None-Match': `"x", W/${etag}` }))).toMatchObject({ status: 304, body: null });
});

test('the gzipped copy is for those who take it', () => {
  const packed = webConsole('/ui/assets/a-1.js', headers({ 'Accept-Encoding': 'br, gzip' }));
  expect(packed?.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
  expect(webConsole('/ui', headers({ 'Accept-Encoding': 'gzip' }))?.headers).not.toHaveProperty('Content-Encoding');
});

test('a build that is not there is said', async () => {
  await expect(openWebConsole(join(folder, 'none'))).rejects.toThrow('the web console is not built');
});
