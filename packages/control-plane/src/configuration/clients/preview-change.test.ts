import { expect, it } from 'vitest';
import { previewChange } from './preview-change.js';

it('shows the part that differs and nothing around it', () => {
  const before = '{\n  "key": "secret",\n  "servers": {}\n}\n';
  const after = '{\n  "key": "secret",\n  "servers": {"portico": {}}\n}\n';
  expect(previewChange({ before, after })).toEqual({ line: 3, removed: '', added: '"portico": {}' });
  expect(previewChange({ before: after, after: before })).toEqual({ line: 3, removed: '"portico": {}', added: '' });
});

it('shows no secret of a file that is one line', () => {
  const before = '{"key":"secret","servers":{"a":{}}}';
  const after = '{"key":"secret","servers":{"a":{},"portico":{}}}';
  expect(previewChange({ before, after })).toEqual({ line: 1, removed: '', added: ',"portico":{}' });
});

it('shows a file that comes to be, one that goes, and one that stays', () => {
  expect(previewChange({ before: null, after: 'a\nb' })).toEqual({ line: 1, removed: '', added: 'a\nb' });
  expect(previewChange({ before: 'a', after: null })).toEqual({ line: 1, removed: 'a', added: '' });
  expect(previewChange({ before: 'a', after: 'a' })).toBeNull();
  expect(previewChange({ before: null, after: null })).toBeNull();
});
