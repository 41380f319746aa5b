import { expect, it, vi } from 'vitest';
import { AbortSource, toAbortSignal } from './abort-source.js';

it('aborts once, with the first reason', () => {
  const source = new AbortSource();
  expect(source.aborted).toBe(false);
  source.throwIfAborted();
  source.abort('first');
  source.abort('second');
  expect(source.aborted).toBe(true);
  expect(source.reason).toBe('first');
  expect(() => source.throwIfAborted()).toThrow('first');
});

it('calls each listener once, in order, with the reason there already', () => {
  const source = new AbortSource();
  const calls: unknown[] = [];
  const twice = () => calls.push(['a', source.reason]);
  source.addEventListener('abort', twice);
  source.addEventListener('abort', twice);
  source.addEventListener('abort', () => calls.push('b'));
  source.abort('over');
  source.abort('again');
  expect(calls).toEqual([['a', 'over'], 'b']);
});

it('calls none that was removed, nor one that came too late', () => {
  const source = new AbortSource();
  const removed = vi.fn();
  const late = vi.fn();
  source.addEventListener('abort', removed);
  source.removeEventListener('abort', removed);
  source.removeEventListener('abort', removed);
  source.abort('over');
  source.addEventListener('abort', late);
  expect(removed).not.toHaveBeenCalled();
  expect(late).not.toHaveBeenCalled();
});

it('calls those after one that removes itself and adds another', () => {
  const source = new AbortSource();
  const calls: string[] = [];
  const first = () => {
    calls.push('first');
    source.removeEventListener('abort', first);
    source.addEventListener('abort', () => calls.push('never'));
  };
  source.addEventListener('abort', first);
  source.addEventListener('abort', () => calls.push('second'));
  source.abort('over');
  expect(calls).toEqual(['first', 'second']);
});

it('is followed by a signal of the platform', () => {
  const source = new AbortSource();
  const signal = toAbortSignal(source);
  expect(signal).toBeInstanceOf(AbortSignal);
  expect(signal.aborted).toBe(false);
  source.abort('over');
  expect(signal.reason).toBe('over');
  expect(toAbortSignal(source).reason).toBe('over');
  const own = new AbortController().signal;
  expect(toAbortSignal(own)).toBe(own);
});

it('does not call a listener that one before it has removed', () => {
  const source = new AbortSource();
  const removed = vi.fn();
  source.addEventListener('abort', () => source.removeEventListener('abort', removed));
  source.addEventListener('abort', removed);
  source.abort('over');
  expect(removed).not.toHaveBeenCalled();
});

it('calls the others where one throws, and the error is not lost', async () => {
  const source = new AbortSource();
  const other = vi.fn();
  const unhandled = new Promise((resolve) => process.once('unhandledRejection', resolve));
  source.addEventListener('abort', () => {
    throw new Error('a defect');
  });
  source.addEventListener('abort', other);
  source.abort('over');
  expect(other).toHaveBeenCalledOnce();
  expect(await unhandled).toMatchObject({ message: 'a defect' });
});
