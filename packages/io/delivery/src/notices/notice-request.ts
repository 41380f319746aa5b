// The request that a receiver of notices asks for. Secrets come from the environment, at each notice; what goes wrong names
// variables only.
import type { NoticeReceiver } from '@portico/contracts';
import { AddressError, loggableOrigin, type PostRequest, toPostRequest } from '../post-request.js';
import type { NoticeMessage } from './message.js';
import { toNtfyBody } from './ntfy.js';
import { toSlackBody } from './slack.js';
import { toTelegramBody } from './telegram.js';

type Environment = Readonly<Record<string, string | undefined>>;

interface Built {
  readonly url: string;
  readonly authorization: string | null;
  readonly body: object;
}

/** @throws AddressError */
export function toNoticeRequest(receiver: NoticeReceiver, env: Environment, message: NoticeMessage): PostRequest {
  const { url, authorization, body } = build(receiver, env, message);
  const noun = `receiver "${receiver.name}"`;
  return toPostRequest({ url, authorization, headers: {}, noun }, new TextEncoder().encode(JSON.stringify(body)));
}

function build(receiver: NoticeReceiver, env: Environment, message: NoticeMessage): Built {
  switch (receiver.format) {
    case 'ntfy': {
      const { url, topic, topicEnv, tokenEnv } = receiver;
      const name = topicEnv === null ? (topic ?? '') : variableOf(env, topicEnv, 'the topic');
      const authorization = tokenEnv === null ? null : `Bearer ${variableOf(env, tokenEnv, 'the token')}`;
      return { url, authorization, body: toNtfyBody(message, name) };
    }
    case 'slack':
      return { url: variableOf(env, receiver.urlEnv, 'the address'), authorization: null, body: toSlackBody(message) };
    case 'telegram': {
      const token = encodeURIComponent(variableOf(env, receiver.tokenEnv, 'the token')).replaceAll('%3A', ':');
      const url = `${receiver.url.replace(/\/$/, '')}/bot${token}/sendMessage`;
      return { url, authorization: null, body: toTelegramBody(message, receiver.chatId) };
    }
  }
}

function variableOf(env: Environment, name: string, what: string): string {
  const value = env[name];
  if (value) return value;
  throw new AddressError(`environment variable ${name}, which holds ${what}, is unset or empty`);
}

/** The part of a receiver's address that may be shown: the rest may be its secret. */
export function originOf(receiver: NoticeReceiver, env: Environment): string {
  return loggableOrigin(receiver.format === 'slack' ? (env[receiver.urlEnv] ?? '') : receiver.url);
}
