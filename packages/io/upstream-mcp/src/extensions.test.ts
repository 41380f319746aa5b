import { describe, expect, it } from 'vitest';
import { sharedExtensions } from './extensions.js';

const ui = 'io.modelcontextprotocol/ui';
const tasks = 'io.modelcontextprotocol/tasks';
const html = 'text/html;profile=mcp-app';

describe('extensions that a call declares to a server', () => {
  it.each([
    ['none', {}, {}, {}],
    ['what Portico does not know is left out', { 'com.example/x': {} }, { 'com.example/x': {} }, {}],
    [
      'pages, of a server that says nothing of them',
      { [ui]: { mimeTypes: [html] } },
      undefined,
      { [ui]: { mimeTypes: [html] } },
    ],
    [
      'pages, of the kinds that all have',
      { [ui]: { mimeTypes: ['text/x', html] } },
      { [ui]: { mimeTypes: [html] } },
      { [ui]: { mimeTypes: [html] } },
    ],
    ['no kind that all have', { [ui]: { mimeTypes: ['text/x'] } }, {}, {}],
    ['no kind that the server has', { [ui]: { mimeTypes: [html] } }, { [ui]: { mimeTypes: ['text/x'] } }, {}],
    ['pages without a kind', { [ui]: {} }, {}, {}],
    ['tasks, of a server that has them', { [tasks]: {} }, { [tasks]: {} }, { [tasks]: {} }],
    ['tasks, of one that has none', { [tasks]: {} }, {}, {}],
    ['what is no object', 'all', {}, {}],
  ] as const)('%s', (_what, ofCaller, ofServer, shared) => {
    expect(sharedExtensions(ofCaller, ofServer)).toEqual(shared);
  });
});
