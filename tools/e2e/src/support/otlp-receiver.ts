// A collector: a real gRPC server that takes OTLP trace exports off the wire and keeps their spans.
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { onCleanup } from './cleanup.js';

export type Attributes = Readonly<Record<string, unknown>>;

/** A span as OTLP has it, with ids in hex, attributes as an object, and the attributes of the resource it came from. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Attributes;
  readonly resource: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 is an error. */
  readonly status: { readonly code: number; readonly message: string };
}

export interface OtlpReceiver {
  /** Address for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  spans(): readonly ReceivedSpan[];
  /** All that was received, as bytes. */
  readonly raw: readonly Buffer[];
}

/** The parts of the OTLP 1.x messages that are read here; a reader skips fields that it does not know (protobuf). */
const messages = protobuf.Root.fromJSON({
  nested: {
    Export: { fields: { resourceSpans: { rule: 'repeated', type: 'ResourceSpans', id: 1 } } },
    ResourceSpans: {
      fields: { resource: { type: 'Resource', id: 1 }, scopeSpans: { rule: 'repeated', type: 'ScopeSpans', id: 2 } },
    },
    Resource: { fields: { attributes: { rule: 'repeated', type: 'KeyValue', id: 1 } } },
    ScopeSpans: { fields: { spans: { rule: 'repeated', type: 'Span', id: 2 } } },
    Span: {
      fields: {
        traceId: { type: 'bytes', id: 1 },
        spanId: { type: 'bytes', id: 2 },
        traceState: { type: 'string', id: 3 },
        parentSpanId: { type: 'bytes', id: 4 },
        name: { type: 'string', id: 5 },
        kind: { type: 'int32', id: 6 },
        attributes: { rule: 'repeated', type: 'KeyValue', id: 9 },
        events: { rule: 'repeated', type: 'Event', id: 11 },
        links: { rule: 'repeated', type: 'Link', id: 13 },
        status: { type: 'Status', id: 15 },
      },
    },
    Event: {
      fields: { name: { type: 'string', id: 2 }, attributes: { rule: 'repeated', type: 'KeyValue', id: 3 } },
    },
    Link: { fields: { traceId: { type: 'bytes', id: 1 }, spanId: { type: 'bytes', id: 2 } } },
    Status: { fields: { message: { type: 'string', id: 2 }, code: { type: 'int32', id: 3 } } },
    KeyValue: { fields: { key: { type: 'string', id: 1 }, value: { type: 'AnyValue', id: 2 } } },
    AnyValue: {
      oneofs: { value: { oneof: ['stringValue', 'boolValue', 'intValue', 'doubleValue'] } },
      fields: {
        stringValue: { type: 'string', id: 1 },
        boolValue: { type: 'bool', id: 2 },
        intValue: { type: 'int64', id: 3 },
        doubleValue: { type: 'double', id: 4 },
      },
    },
  },
});

interface KeyValue {
  readonly key: string;
  readonly value: Attributes;
}

interface WireSpan extends Omit<ReceivedSpan, 'attributes' | 'resource' | 'events'> {
  readonly attributes: readonly KeyValue[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly KeyValue[] }[];
}

interface WireExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const asIs = (bytes: Buffer) => bytes;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const raw: Buffer[] = [];
  const server = new Server();
  const take = ({ request }: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => {
    raw.push(request);
    reply(null, Buffer.alloc(0)); // ExportTraceServiceResponse without a field
  };
  const shape = { path, requestStream: false, responseStream: false } as const;
  const coding = {
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  server.addService({ Export: { ...shape, ...coding } }, { Export: take });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  onCleanup(() => server.forceShutdown());
  return { endpoint: `http://127.0.0.1:${port}`, raw, spans: () => raw.flatMap(decode) };
}

function decode(bytes: Buffer): readonly ReceivedSpan[] {
  const type = messages.lookupType('Export');
  const options = { bytes: Buffer, longs: Number, defaults: true, arrays: true, objects: true } as const;
  // The message by the descriptor above, with every field there.
  const { resourceSpans } = type.toObject(type.decode(bytes), { ...options, oneofs: true }) as unknown as WireExport;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => toSpan(span, toAttributes(resource.attributes)))),
  );
}

function toSpan(span: WireSpan, resource: Attributes): ReceivedSpan {
  const { status, links } = span;
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    traceState: span.traceState,
    name: span.name,
    kind: span.kind,
    attributes: toAttributes(span.attributes),
    resource,
    events: span.events.map(({ name, attributes }) => ({ name, attributes: toAttributes(attributes) })),
    links: links.map(({ traceId, spanId }) => ({ traceId: hex(traceId), spanId: hex(spanId) })),
    status: status ?? { code: 0, message: '' },
  };
}

function toAttributes(pairs: readonly KeyValue[]): Attributes {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value[String(value.value)]]));
}

function hex(bytes: unknown): string {
  return Buffer.isBuffer(bytes) ? bytes.toString('hex') : '';
}
