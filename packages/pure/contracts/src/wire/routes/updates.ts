// Changes of the catalog, as a list and as a stream.
import { catalogEventsSchema } from '../configuration.js';
import { plain, type Route } from './route.js';

export const updateRoutes = [
  {
    ...plain,
    access: 'role',
    operationId: 'listCatalogEvents',
    path: '/v1/catalog/events',
    summary: 'Entries that were added to the catalog, removed and updated, oldest first',
    queries: ['after'],
    answer: catalogEventsSchema,
    failures: [],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'streamUpdates',
    path: '/v1/resources/updates',
    summary: 'Changes of the catalog and of resources, as they happen',
    headers: ['Last-Event-ID'],
    mediaTypes: ['text/event-stream'],
    failures: [],
  },
] as const satisfies readonly Route[];
