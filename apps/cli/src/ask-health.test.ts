import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { askHealth } from './ask-health.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: RequestListener): Promise<string> {
  const opened = createServer(answer);
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
}

it.each([
  ['{"ok":true}', 'portico'],
  ['{"healthy":true}', 'other'],
  ['null', 'other'],
  ['<html>', 'other'],
])('takes %s for %s', async (body, expected) => {
  const url = await listen((_request, response) => response.end(body));
  expect(await askHealth(url, 20_000)).toBe(expected);
});

it('stops waiting after its time limit, and reports that no process listens', async () => {
  const url = await listen(() => {});
  expect(await askHealth(url, 50)).toBe('other');
  await expect(askHealth(url, 20_000, AbortSignal.abort(new Error('Ctrl-C')))).rejects.toThrow('Ctrl-C');
  // The system never assigns this port to a program that asks for a free one.
  expect(await askHealth('http://127.0.0.1:2', 20_000)).toBe('absent');
});
