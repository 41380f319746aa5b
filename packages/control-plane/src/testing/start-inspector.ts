// An inspector on a manual clock, and what passes on one connection.
import { type Config, type JsonObject, resolveConfig, type SecretValues } from '@portico/contracts';
import { createManualClock, type FrameChannel, type FrameTap } from '@portico/upstream-pool';
import type { Caller } from '../call/call.js';
import type { Inspecting } from '../inspect/frame-owners.js';
import { createInspector } from '../inspect/inspector.js';
import { compilePlanePolicy } from '../state/plane-policy.js';

export const traceId = 'ab'.repeat(16);
const traceparent = `00-${traceId}-${'12'.repeat(8)}-01`;
export const caller = (actor: string, role = 'dev'): Caller => ({ principal: actor, actor, role, profile: null });

export function configOf(inspect: object, policy: object = {}): Config {
  const found = resolveConfig({ mcpServers: {}, inspect: { enabled: true, ...inspect }, policy });
  if (!found.ok) throw new Error(JSON.stringify(found.issues));
  return found.value;
}

export const planted = 'pl4nted-s3cret';
const secrets: SecretValues = {
  isEmpty: false,
  maskText: (text) => text.replaceAll(planted, '[REDACTED]'),
  maskObject(object) {
    const text = JSON.stringify(object);
    return text.includes(planted) ? (JSON.parse(text.replaceAll(planted, '[REDACTED]')) as JsonObject) : object;
  },
};

export function start(inspect: object = {}, policy: object = { redactKeys: ['password'] }) {
  const clock = createManualClock();
  const tap: FrameTap = { recorder: undefined };
  const inspecting: Inspecting = { owners: undefined };
  let inForce = compilePlanePolicy(configOf(inspect, policy), secrets);
  const inspector = createInspector({
    clock,
    randomHex: (characters) => 'a'.repeat(characters),
    policy: () => inForce,
    frameTap: tap,
    inspecting,
  });
  inspector.configure(configOf(inspect, policy));
  const channel: FrameChannel = { server: 's', tap };
  const sent = (message: JsonObject) => tap.recorder?.sent(channel, message, JSON.stringify(message));
  const received = (message: JsonObject, related: number | null = null) =>
    tap.recorder?.received(channel, [message], JSON.stringify(message), related);
  const list = async (query: object = {}) => {
    await clock.advance(0);
    return inspector.list({ limit: 50, ...query }).frames;
  };
  const setPolicy = (rules: object) => {
    inForce = compilePlanePolicy(configOf(inspect, rules), secrets);
  };
  return { clock, tap, inspecting, inspector, channel, sent, received, list, setPolicy };
}

export const call = (id: number, args: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'work', arguments: args, _meta: { traceparent } },
});
