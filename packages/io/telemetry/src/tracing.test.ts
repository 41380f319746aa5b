// An exporter whose collector is not there: it delays nothing and says so once.
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openTracing } from './tracing.js';

/** A port that takes connections and never says anything. */
async function silentPort(): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer((socket) => void socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, close: () => server.close() };
}

describe('openTracing', () => {
  it('makes spans of the service, and closes within a second when the collector is silent', async () => {
    const silent = await silentPort();
    const log: unknown[] = [];
    const tracing = await openTracing({
      endpoint: `http://127.0.0.1:${silent.port}`,
      serviceName: 'portico',
      version: '1.2.3',
      log: (...line) => void log.push(line),
    });
    for (let index = 0; index < 20_000; index += 1) tracing.tracer.startSpan('span').end();
    const span = tracing.tracer.startSpan('span', { attributes: { long: 'x'.repeat(5000) } });
    expect(span.isRecording()).toBe(true);
    span.end();
    // Timers that are late are late in their order.
    expect(await Promise.race([tracing.close(), setTimeout(3000, 'late')])).toBeUndefined();
    const fields = { endpoint: `http://127.0.0.1:${silent.port}`, service: 'portico' };
    expect(log).toEqual([['info', 'spans are exported', fields]]);
    silent.close();
  });
});
