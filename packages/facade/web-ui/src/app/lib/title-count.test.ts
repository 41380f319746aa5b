import { expect, it } from 'vitest';
import { withCount } from './title-count.js';

it.each([
  ['Approvals · Portico', 3, '(3) Approvals · Portico'],
  ['(3) Approvals · Portico', 12, '(12) Approvals · Portico'],
  ['(3) Approvals · Portico', 0, 'Approvals · Portico'],
  ['Servers · Portico', 0, 'Servers · Portico'],
])('%j with %i waiting', (title, count, expected) => {
  expect(withCount(title, count)).toBe(expected);
});
