// How often an unreachable collector is reported, without other effects.
import { InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import { watchExports } from './export-watch.js';

const spans = (count: number) => Array.from({ length: count }, () => ({}) as ReadableSpan); // their content does not matter

function watch() {
  const results: number[] = [];
  const reported: unknown[] = [];
  let nowMs = 0;
  let code = 1;
  const exporter: SpanExporter = {
    export: (_spans, done) => done(code === 0 ? { code } : { code, error: new Error('nobody there') }),
    shutdown: async () => {},
  };
  const watched = watchExports(
    exporter,
    (lost, reason) => reported.push([nowMs, lost, reason]),
    () => nowMs,
  );
  const exportAt = (ms: number, count: number, result = 1) => {
    nowMs = ms;
    code = result;
    watched.exporter.export(spans(count), (outcome) => results.push(outcome.code));
  };
  return { watched, reported, results, exportAt };
}

describe('watchExports', () => {
  it('reports the first failure at once, and the others once a minute with the number of lost spans', () => {
    const { reported, results, exportAt } = watch();
    for (const [ms, count] of [
      [0, 5],
      [1000, 10],
      [59_999, 20],
      [60_000, 1],
      [90_000, 2],
    ] as const)
      exportAt(ms, count);
    expect(reported).toEqual([
      [0, 5, 'nobody there'],
      [60_000, 31, 'nobody there'],
    ]);
    expect(results).toEqual([1, 1, 1, 1, 1]);
  });

  it('knows whether the last export failed', () => {
    const { watched, exportAt } = watch();
    expect(watched.isFailing()).toBe(false);
    exportAt(0, 1);
    expect(watched.isFailing()).toBe(true);
    exportAt(1, 1, 0);
    expect(watched.isFailing()).toBe(false);
  });

  it('passes everything on', async () => {
    const inner = new InMemorySpanExporter();
    const { exporter } = watchExports(
      inner,
      () => {},
      () => 0,
    );
    exporter.export(spans(2), () => {});
    expect(inner.getFinishedSpans()).toHaveLength(2);
    await exporter.forceFlush?.();
    await exporter.shutdown();
    expect(inner.getFinishedSpans()).toHaveLength(0);
  });
});
