import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openTerminal } from './ask.js';

it('puts a question of a stranger without what would move the cursor', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = openTerminal(new AbortController().signal, { stdin, stderr } as never);
  const answer = terminal?.ask('name [\u001b]0;title\u0007]: ');
  stdin.write('Ann\n');
  expect(await answer).toBe('Ann');
  terminal?.close();
  stderr.end();
  const drawn = await text(stderr);
  expect(drawn).toContain('name [\u241b]0;title\u2407]: ');
  expect(drawn).not.toContain('\u001b]0;title');
});
