import { expect, it } from 'vitest';
import { dispatchNotification } from './notifications.js';

function logged(params: Record<string, string>): string | undefined {
  const lines: string[] = [];
  const ignore = () => {};
  dispatchNotification('notifications/message', params, true, {
    onListChanged: ignore,
    onResourceUpdated: ignore,
    onSubscribed: ignore,
    onLogMessage: ignore,
    onLog: (line) => lines.push(line),
  });
  return lines[0];
}

it('makes one line of a log notification, with any line ends in it', () => {
  expect(logged({ level: 'error', logger: 'a\nb', data: 'one\r\ntwo\n\n  three' })).toBe(
    '[error] a b: one two   three',
  );
});

it('cuts a long log notification before it looks for line ends', () => {
  const before = process.cpuUsage();
  expect(logged({ data: ' '.repeat(2_000_000) })).toHaveLength(8 * 1024);
  const { user, system } = process.cpuUsage(before); // independent of the load of the machine
  expect((user + system) / 1000).toBeLessThan(500); // looking through all of it took minutes
});
