// The picture of one call in docs/architecture.md, drawn from the spans of a call that is really made: a gated one would
// wait for a person, so it is one under a key.
import { existsSync } from 'node:fs';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { resolveConfig } from '@portico/contracts';
import { createControlPlane, createMemoryStores, operator } from '@portico/control-plane';
import { createRestApi } from '@portico/rest-api';
import { createManualClock, createMemoryConnector } from '@portico/upstream-pool';

/** Where each span begins, below packages/. */
const files: Readonly<Record<string, string>> = {
  'POST /v1/tools/call': 'facade/rest-api/src/serve.ts',
  'execute tool': 'control-plane/src/execution/execute.ts',
  resolve: 'control-plane/src/state/target.ts',
  authorize: 'control-plane/src/state/target.ts',
  prepare: 'control-plane/src/execution/steps/prepare.ts',
  dedupe: 'control-plane/src/execution/steps/dedupe.ts',
  invoke: 'control-plane/src/execution/steps/converse.ts',
  distill: 'control-plane/src/execution/steps/distill.ts',
  answer: 'control-plane/src/execution/execute.ts',
};

/** @returns a flow chart in Mermaid: a span that holds others is a frame around them, in the order in which they began */
export async function callFlow(): Promise<string> {
  const spans = await tracedCall();
  let count = 0;
  let last: string | undefined;
  const draw = (span: ReadableSpan, indent: string): string[] => {
    count += 1;
    const id = `s${count}`;
    const inner = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === span.spanContext().spanId);
    const title = `"${span.name}<br>${fileOf(span.name)}"`;
    if (inner.length > 0) {
      return [
        `${indent}subgraph ${id}[${title}]`,
        ...inner.flatMap((each) => draw(each, `${indent}  `)),
        `${indent}end`,
      ];
    }
    const arrow = last === undefined ? [] : [`${indent}${last} --> ${id}`];
    last = id;
    return [`${indent}${id}[${title}]`, ...arrow];
  };
  const roots = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined);
  return ['```mermaid', 'flowchart TD', ...roots.flatMap((root) => draw(root, '  ')), '```'].join('\n');
}

function fileOf(step: string): string {
  const file = files[step];
  if (file === undefined || !existsSync(`packages/${file}`)) {
    throw new Error(`tools/checks/src/call-flow.ts: name the file in which the span "${step}" begins`);
  }
  return file;
}

/** The spans of a call over HTTP, in the order in which they began. */
async function tracedCall(): Promise<readonly ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const began: string[] = [];
  const inOrder = {
    onStart: (span: Pick<ReadableSpan, 'spanContext'>) => void began.push(span.spanContext().spanId),
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracer = new TracerProvider({
    spanProcessors: [inOrder, new SimpleSpanProcessor({ exporter })],
  }).getTracer('portico');
  const config = resolveConfig({ mcpServers: { s: { command: 'node' } } });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  const clock = createManualClock();
  const tool = { name: 'echo', inputSchema: { type: 'object' } };
  const connector = createMemoryConnector({ s: { definitions: { tools: [tool] } } });
  let hex = 0;
  const randomHex = (characters: number) => {
    hex += 1;
    return hex.toString(16).padStart(characters, '0');
  };
  const shared = { randomHex, log() {}, tracer };
  const stores = createMemoryStores(clock);
  const plane = createControlPlane({ connector, clock, ...shared, ...stores, notifyApproval() {} }, config.value);
  plane.start();
  await clock.advance(0);
  const api = createRestApi({
    plane,
    access: { bind: '127.0.0.1', authenticate: () => ({ kind: 'known', identity: operator }) },
    version: '0',
    ...shared,
    checkState: async () => {},
    metrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  const answer = await api.request('/v1/tools/call', {
    method: 'POST',
    headers: { Host: '127.0.0.1', 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
    body: JSON.stringify({ capability_id: 's.echo', args: {} }),
  });
  await plane.close(0);
  if (answer.status !== 200) throw new Error(`the call was answered with ${answer.status}: ${await answer.text()}`);
  const place = (span: ReadableSpan) => began.indexOf(span.spanContext().spanId);
  return [...exporter.getFinishedSpans()].sort((a, b) => place(a) - place(b));
}
