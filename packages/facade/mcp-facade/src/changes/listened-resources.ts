// The resources that a `subscriptions/listen` of 2026-07-28 names: watched as long as it stands, and those that do not
// exist taken out, so that the acknowledgement says what is honoured.
import { isJsonObject, type JsonObject, type JsonValue, PorticoError } from '@portico/contracts';
import type { Watches } from '../server/watches.js';

export function isListen(message: JsonValue | undefined): message is JsonObject {
  return isJsonObject(message) && message.method === 'subscriptions/listen';
}

/** The same message without the resources that cannot be watched. It is not validated otherwise. */
export async function watchListened(message: JsonObject, watches: Watches): Promise<JsonObject> {
  const params = objectOf(message.params);
  const notifications = objectOf(params?.notifications);
  const uris = notifications?.resourceSubscriptions;
  if (params === undefined || notifications === undefined || !Array.isArray(uris)) return message;
  const watched = await Promise.all(uris.map(async (uri) => typeof uri !== 'string' || (await canWatch(watches, uri))));
  const resourceSubscriptions = uris.filter((_, index) => watched[index]);
  return { ...message, params: { ...params, notifications: { ...notifications, resourceSubscriptions } } };
}

function canWatch(watches: Watches, uri: string): Promise<boolean> {
  return watches.add(uri).catch((error: unknown) => {
    if (error instanceof PorticoError) return false;
    throw error;
  });
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
