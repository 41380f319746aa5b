// From answers to a file.
import { expect, it } from 'vitest';
import { describeServer, planFile } from '../../init/plan.js';
import { toWizardLines } from './view.js';
import { press, startWizard, type WizardState } from './wizard.js';

const servers = [
  {
    server_id: 'git',
    client: 'cursor',
    definition: { command: 'git-mcp', args: ['--token', 's3cret-value'], env: { TOKEN: 'hush-hush' } },
  },
  { server_id: 'web', client: 'zed', definition: { url: 'https://example.com/mcp?key=abc' } },
];
const start = startWizard({ servers, left: ['x of zed: is Portico itself'] }, 'mcp_servers.json', 9090);
const free = () => null;

function answer(...keys: readonly string[]) {
  return keys.reduce((pressed, key) => press(pressed.state, key, free), { state: start } as ReturnType<typeof press>);
}

const text = (state: WizardState) =>
  toWizardLines(state, { columns: 100, rows: 40 })
    .map(({ pieces }) => pieces.map((each) => each.text).join(''))
    .join('\n');

it('writes what was chosen', () => {
  const { end } = answer(
    'down',
    ' ',
    'enter',
    'enter',
    'backspace',
    '1',
    'enter',
    'n',
    'enter',
    'enter',
    'n',
    'enter',
    'enter',
  );
  expect(end?.kind === 'write' && [end.file, JSON.parse(end.plan.text), end.plan.holdsSecrets]).toEqual([
    'mcp_servers.json',
    {
      port: 9091,
      access: { operatorToken: true },
      audit: { filePath: '.portico/audit.jsonl' },
      mcpServers: { git: servers[0]?.definition },
    },
    true,
  ]);
});

it('writes a lock in mode warn unless that is not wanted', () => {
  const { end } = answer(...Array.from({ length: 7 }, () => 'enter'));
  expect(end?.kind === 'write' && [JSON.parse(end.plan.text).lock, end.plan.locks]).toEqual([{ mode: 'warn' }, true]);
});

it('says what is wrong beside the answer, and keeps it', () => {
  const taken = press(answer('enter').state, 'enter', () => 'is there');
  expect([taken.end, taken.state.problem, taken.state.file]).toEqual([undefined, 'is there', 'mcp_servers.json']);
  const port = answer('enter', 'enter', 'x', 'enter').state;
  expect([port.step, port.port, port.problem]).toEqual(['port', '9090x', 'a port is a whole number from 1 to 65535']);
  expect(press(port, 'backspace', free).state.problem).toBeNull();
});

it('goes back without forgetting, and leaves at the first question', () => {
  const back = answer('enter', 'x', 'enter', 'escape').state;
  expect([back.step, back.file]).toEqual(['file', 'mcp_servers.jsonx']);
  expect(answer('escape').end).toEqual({ kind: 'cancel' });
  expect(answer('enter', 'interrupt').end).toEqual({ kind: 'cancel' });
});

it('shows no secret on any page', () => {
  let state: WizardState = start;
  for (let step = 0; step < 7; step += 1) {
    expect(text(state)).not.toMatch(/hush-hush|s3cret-value|abc/);
    state = press(state, 'enter', free).state;
  }
  expect(text(state)).toContain('"TOKEN": "********"');
  expect(describeServer(servers[0] as (typeof servers)[0])).toContain('(sets TOKEN)');
});

it('does not write what a daemon would not take', () => {
  const plan = planFile({ servers: [], port: 99_999, asksBeforeDestroying: true, redacts: true, locks: false });
  expect(plan.issues.map(({ path }) => path)).toEqual(['port']);
});
