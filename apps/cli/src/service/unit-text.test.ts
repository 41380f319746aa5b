// The property list of launchd: paths are text in it, and variables come from a file.
import { expect, it } from 'vitest';
import { managerOf } from './manager.js';
import { launchdPlist } from './unit-text.js';

const command = {
  argv: ['/n/node', '/p/main.js', 'daemon', '--config', '/a & <b>/c'],
  path: '/bin',
  environmentFile: '/e',
};

it('is an XML property list with the command', () => {
  const text = launchdPlist(command, '/l');
  expect(text).toContain('<string>/a &amp; &lt;b&gt;/c</string>');
  expect(text).toContain('<key>Label</key><string>dev.portico.daemon</string>');
  const strings = [...text.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word]) => word);
  expect(strings.slice(0, 2)).toEqual(['/bin/sh', '-c']);
  expect(strings.slice(3, 6)).toEqual(['/e', '/n/node', '/p/main.js']);
});

it('is where launchd looks for agents of a user', () => {
  expect(managerOf('darwin', {}, '/Users/ann').file).toBe('/Users/ann/Library/LaunchAgents/dev.portico.daemon.plist');
  expect(() => managerOf('win32', {}, '/h')).toThrow('have its service manager run "portico daemon"');
});
