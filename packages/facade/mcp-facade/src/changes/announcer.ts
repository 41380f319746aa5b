// Notifies every connected client of changes: lists, resources, and messages of servers outside of calls.
import type { JsonObject } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import { createListComparison, type ListKind } from './list-changes.js';

export interface Audience {
  sendListChanged(kind: ListKind): void;
  sendResourceUpdated(server: string, uri: string): void;
  sendLogMessage(server: string, message: JsonObject): void;
}

export interface Announcer {
  add(audience: Audience): void;
  remove(audience: Audience): void;
  close(): void;
}

export function createAnnouncer(plane: ControlPlane): Announcer {
  const audiences = new Set<Audience>();
  const changedLists = createListComparison(plane);
  const stopUpdates = plane.onUpdate(({ kind, data }) => {
    if (kind === 'catalog_changed') {
      const kinds = changedLists();
      for (const audience of audiences) for (const changed of kinds) audience.sendListChanged(changed);
    } else {
      for (const audience of audiences) audience.sendResourceUpdated(data.server, data.uri);
    }
  });
  const stopMessages = plane.onServerMessage((server, message) => {
    for (const audience of audiences) audience.sendLogMessage(server, message);
  });
  return {
    add: (audience) => void audiences.add(audience),
    remove: (audience) => void audiences.delete(audience),
    close() {
      stopUpdates();
      stopMessages();
      audiences.clear();
    },
  };
}
