// Search with the model that comes with the product: what it finds, when it is there, and what is left without it.
import type { SearchAnswer } from '@portico/contracts';
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryStores } from '../../memory-stores.js';
import { initialState, reduce } from '../../state/plane-state.js';
import { configOf, connectPlane, everything, stopped, tool } from '../../testing/start-plane.js';
import { createBuiltInSearch } from './built-in.js';
import type { TextModel } from './text-model.js';

const tools = [
  tool('remove_row', { description: 'Deletes a row' }),
  tool('send', { description: 'Sends a letter' }),
  tool('list', { description: 'Shows a folder. Takes a path.' }),
];
const servers = { s: { definitions: { tools } } };

/** Words of one line have one direction. */
const concepts = [
  ['delete', 'rid', 'row'],
  ['letter', 'mail'],
  ['folder', 'directory'],
];
const model: TextModel = {
  id: 'test',
  embed: (text) =>
    Float32Array.from(concepts, (words) => (words.some((word) => text.toLowerCase().includes(word)) ? 1 : 0)),
  understands: (text) => !text.includes('löschen'),
  isWord: (word) => word === 'male',
};

const start = (loadModel: () => Promise<TextModel>) =>
  connectPlane(servers, {}, { ...createMemoryStores(stopped), loadModel });
const search = async ({ plane }: Awaited<ReturnType<typeof start>>, query: string) =>
  plane.search({ profile: null, role: null }, { query });

describe('search with the built-in model', () => {
  it('finds what shares no word with the query, and says what is near', async () => {
    const { capabilities } = await search(await start(async () => model), 'directory');
    expect(capabilities).toMatchObject([{ id: 's.list', match_types: ['semantic'], why: 'near: summary' }]);
  });

  it('says which words matched', async () => {
    const { capabilities } = await search(await start(async () => model), 'send the mail');
    expect(capabilities).toMatchObject([{ id: 's.send', match_types: ['lexical', 'semantic'], why: 'send' }]);
  });

  it('reads no model and computes nothing before a query', async () => {
    let loads = 0;
    const started = await start(async () => {
      loads += 1;
      return model;
    });
    const counts = () => [
      loads,
      ...['ready', 'missing'].map((what) => started.metrics.read(`portico_search_vectors_${what}`)),
    ];
    await started.plane.search({ profile: null, role: null }, {});
    expect(counts()).toEqual([0, 0, tools.length]);
    await Promise.all([search(started, 'directory'), search(started, 'mail')]);
    expect(counts()).toEqual([1, tools.length, 0]);
  });

  it('has the vectors of what the catalog lists when it is searched', async () => {
    const started = await start(async () => model);
    await search(started, 'directory');
    started.server('s').change({ tools: [...tools.slice(1), tool('post', { description: 'Brings a letter' })] });
    await started.clock.advance(1000);
    expect((await search(started, 'mail')).capabilities.map(({ id }) => id)).toEqual(['s.post', 's.send']);
    expect(started.metrics.read('portico_search_vectors_ready')).toBe(tools.length);
  });

  it('computes the vectors of a change when it arrives, once it has been searched', async () => {
    const started = await start(async () => model);
    await search(started, 'directory');
    started.server('s').change({ tools: [...tools, tool('post', { description: 'Brings a letter' })] });
    await started.clock.advance(1000);
    expect(started.metrics.read('portico_search_vectors_ready')).toBe(tools.length + 1);
  });

  /** Each vector takes longer than a share of the event loop. @param sleep between two of them */
  const slowly = (sleep: () => Promise<void>, listed: readonly ReturnType<typeof tool>[]) => {
    let nowMs = 0;
    const slow: TextModel = {
      ...model,
      embed(text) {
        nowMs += 1000;
        return model.embed(text);
      },
    };
    const clock = { ...createManualClock(), now: () => nowMs, sleep };
    const builtIn = createBuiltInSearch({ loadModel: async () => slow, clock, log() {} });
    const definitions = { tools: listed, resources: [], resourceTemplates: [], prompts: [] };
    const state = reduce(initialState(configOf({ mcpServers: { s: { command: 'node' } } })), {
      kind: 'definitions_read',
      server: 's',
      definitions,
    });
    return { builtIn, find: () => builtIn.search(state, everything, { query: 'directory' }) };
  };
  const idsOf = ({ capabilities }: SearchAnswer) => capabilities.map(({ id }) => id);

  it('waits for a thousand vectors, however long they take, and gives others a turn', async () => {
    let turns = 0;
    const { find } = slowly(async () => {
      turns += 1;
    }, tools);
    const answer = await find();
    expect([idsOf(answer), answer.meaning_pending]).toEqual([['s.list'], undefined]);
    expect(turns).toBe(tools.length - 1);
  });

  it('uses words only while more than a thousand vectors are missing, reports it, and has a stable answer from then on', async () => {
    const more = Array.from({ length: 1000 }, (_, at) => tool(`letter_${at}`));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { builtIn, find } = slowly(() => released, [...tools, ...more]);
    const answer = await find();
    expect([idsOf(answer), answer.meaning_pending]).toEqual([[], true]);
    release();
    await vi.waitFor(() => expect(builtIn.ready()).toBe(tools.length + more.length));
    const later = await find();
    expect([idsOf(later), later.meaning_pending]).toEqual([['s.list'], undefined]);
    expect(await find()).toEqual(later);
  });

  it('uses words only for a query in another language', async () => {
    const { capabilities, no_good_match } = await search(await start(async () => model), 'rid löschen');
    expect([capabilities, no_good_match]).toEqual([
      [],
      { hint: 'nothing matches; search in other words', servers: [], tags: [] },
    ]);
  });

  it('uses words only when the model cannot be used, and logs it once', async () => {
    let loads = 0;
    const started = await start(async () => {
      loads += 1;
      throw new Error('en.bin: it is damaged');
    });
    expect((await search(started, 'directory')).capabilities).toEqual([]);
    expect((await search(started, 'letter')).capabilities).toMatchObject([{ id: 's.send', match_types: ['lexical'] }]);
    started.server('s').change({ tools: tools.slice(1) });
    await started.clock.advance(1000);
    expect(loads).toBe(1);
    expect(started.log.filter(({ message }) => /model of search/.test(message))).toMatchObject([
      { level: 'error', message: expect.stringContaining('search uses words only') },
    ]);
  });

  it('has no part in a search without a query', async () => {
    const started = await start(async () => model);
    const { capabilities, no_good_match } = await started.plane.search({ profile: null, role: null }, {});
    expect([capabilities.length, no_good_match]).toEqual([tools.length, undefined]);
    expect(capabilities.every(({ why }) => why === undefined)).toBe(true);
  });
});
