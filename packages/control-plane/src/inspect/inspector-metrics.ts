// The metrics of the wire log. All are 0 while it is off.
import type { FrameCounts } from '@portico/contracts';
import type { PlaneMetrics } from '../observability/metrics/metrics.js';

export function observeInspector(metrics: PlaneMetrics, counts: () => FrameCounts | undefined): void {
  const read = (field: keyof FrameCounts) => () => counts()?.[field] ?? 0;
  metrics.observe({
    type: 'gauge',
    name: 'portico_inspect_frames',
    help: 'Messages that the inspector keeps',
    read: read('frames'),
  });
  metrics.observe({
    type: 'gauge',
    name: 'portico_inspect_bytes',
    help: 'Memory that they take',
    read: read('bytes'),
  });
  metrics.observe({
    type: 'counter',
    name: 'portico_inspect_dropped_total',
    help: 'Messages that are not kept because they came too fast (queue), or that a slow reader did not get (reader)',
    labels: ['where'],
    read: () => [
      { labels: { where: 'queue' }, value: read('dropped')() },
      { labels: { where: 'reader' }, value: read('reader_dropped')() },
    ],
  });
}
