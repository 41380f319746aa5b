// Documents that say as little as a test needs. For tests of this package only.
import type { SearchDocument } from '../search-document.js';

/** @param id `server.tool`, unless `rest` says otherwise */
export function documentOf(id: string, rest: Partial<SearchDocument> = {}): SearchDocument {
  const [server = '', tool = ''] = id.split('.');
  return { id, server, tool, summary: '', description: '', tags: [], argumentNames: [], mode: 'write', ...rest };
}
