import { routes } from '@portico/contracts';
import { expect, test } from 'vitest';
import { routesAt } from './route-table.js';

const operationsAt = (path: string) => routesAt(path).map(({ operationId }) => operationId);

test('finds every route by a path of its own', () => {
  for (const route of routes) expect(routesAt(route.path.replace(/\{\w+\}/g, 'a'))).toContain(route);
});

test('finds what a template has at a path that the table also has literally', () => {
  expect(operationsAt('/v1/capabilities/search')).toEqual(['searchCapabilities', 'describeCapability']);
});

test('lets ids of the catalog hold slashes, and ids of our own none', () => {
  expect(operationsAt('/v1/capabilities/files.read/all')).toEqual(['describeCapability']);
  expect(operationsAt('/v1/tasks/a/b')).toEqual([]);
  expect(operationsAt('/v1/nothing')).toEqual([]);
  expect(['/ui/', '/ui/a/b'].map(operationsAt)).toEqual([operationsAt('/ui/a'), operationsAt('/ui/a')]);
});
