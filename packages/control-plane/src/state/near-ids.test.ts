// The ids that are suggested for an unknown one.
import { expect, test } from 'vitest';
import { nearHint, nearIds } from './near-ids.js';

const viewOf = (...ids: readonly string[]) =>
  ({ capabilities: ids.map((id) => ({ id, tool: id.slice(id.indexOf('.') + 1) })) }) as never;
const view = viewOf('github.create_issue', 'github.list_issues', 'gitlab.create_issue', 'jira.create-issue', 'fs.read');

test.each([
  ['github.creat_issue', ['github.create_issue', 'gitlab.create_issue', 'github.list_issues']],
  ['github__create_issue', ['github.create_issue', 'gitlab.create_issue', 'jira.create-issue']],
  ['GitHub.Create-Issue', ['github.create_issue', 'gitlab.create_issue', 'jira.create-issue']],
  ['create_issue', ['github.create_issue', 'gitlab.create_issue', 'jira.create-issue']],
  ['fs.raed', ['fs.read']],
  ['weather.today', []],
  ['', []],
  ['x'.repeat(5000), []],
])('for %s: %j', (id, near) => {
  expect(nearIds(view, id)).toEqual(near);
});

test('is said as a question, and not at all where nothing is near or there is no view', () => {
  expect(nearHint(view, 'fs.raed')).toBe('did you mean "fs.read"?');
  expect([nearHint(view, 'weather.today'), nearHint(undefined, 'fs.raed')]).toEqual([undefined, undefined]);
});

test('compares few of ten thousand ids character by character', () => {
  const many = viewOf(...Array.from({ length: 10_000 }, (_, n) => `server.tool_${String(n).padStart(5, '0')}`));
  let reads = 0;
  const counted = {
    capabilities: (many as { capabilities: { id: string; tool: string }[] }).capabilities.map(({ id, tool }) => ({
      tool,
      get id() {
        reads += 1;
        return id;
      },
    })),
  } as never;
  expect(nearIds(counted, 'server.tool_0000x')).toHaveLength(3);
  expect(reads).toBeLessThan(10_000 + 1000);
});
