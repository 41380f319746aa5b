// Notifications to clients: lists that changed, and resources they watch.
import { type Authentication, type ControlPlane, operator } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { maxWatches } from '../server/watches.js';
import { eventsIn, type FacadeInput, modernRequest, startFacade } from '../testing/start-facade.js';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const serverOf = () => ({
  definitions: { tools: [tool('a')], resources: [{ uri: 'a://b', name: 'b' }], prompts: [{ name: 'p' }] },
});
/** Longer than changes are gathered for. */
const gatheredMs = 60;

/** Counts who watches what. */
function watching() {
  const watched: string[] = [];
  const watchResource: ControlPlane['watchResource'] = async (_caller, id) => {
    watched.push(id);
    return () => void watched.splice(watched.indexOf(id), 1);
  };
  return { watched, plane: () => ({ watchResource }) };
}

/** The messages of a stream, one at a time. */
function messagesOf(response: Response) {
  const reader = response.body?.getReader();
  const waiting: unknown[] = [];
  return {
    /** The messages before the end. */
    async rest() {
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) return waiting;
        waiting.push(...eventsIn(new TextDecoder().decode(value)));
      }
    },
    async next() {
      while (waiting.length === 0) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error('the stream has ended');
        waiting.push(...eventsIn(new TextDecoder().decode(value)));
      }
      return waiting.shift();
    },
    cancel: () => reader?.cancel(),
  };
}

async function startBoth(input: FacadeInput = {}) {
  const { watched, plane } = watching();
  const started = await startFacade({ servers: { one: serverOf(), two: serverOf() }, plane, ...input });
  const { request, openSession } = started;
  const openStream = async () => {
    const session = await openSession();
    const stream = await request({ method: 'GET', headers: { ...session.headers, Accept: 'text/event-stream' } });
    return { ...session, ...messagesOf(stream) };
  };
  const listen = async (notifications: object, signal?: AbortSignal, more: Readonly<Record<string, string>> = {}) => {
    const { body, headers } = modernRequest(
      'subscriptions/listen',
      { notifications: notifications as never },
      { id: 77 },
    );
    const response = await request({
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
        ...more,
      },
      ...(signal === undefined ? {} : { signal }),
    });
    return messagesOf(response);
  };
  return { ...started, watched, openStream, listen };
}
const subscription = { 'io.modelcontextprotocol/subscriptionId': 77 };

describe('a change of lists', () => {
  it('is announced to every client of either era, for the lists that changed', async () => {
    const { server, clock, openStream, listen } = await startBoth();
    const streams = [await openStream(), await openStream()];
    const listening = await listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    expect(await listening.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    server('one').change({ tools: [tool('a'), tool('c')], prompts: [] });
    await clock.advance(gatheredMs);
    for (const list of ['tools', 'prompts']) {
      const method = `notifications/${list}/list_changed`;
      for (const stream of streams) expect(await stream.next()).toMatchObject({ method });
      expect(await listening.next()).toMatchObject({ method, params: { _meta: subscription } });
    }
    server('two').change({ resources: [] });
    await clock.advance(gatheredMs);
    const method = 'notifications/resources/list_changed';
    for (const stream of [...streams, listening]) expect(await stream.next()).toMatchObject({ method });
    for (const stream of [...streams, listening]) await stream.cancel();
  });

  it('is not sent to a subscription that did not ask for it', async () => {
    const { server, clock, listen } = await startBoth();
    const listening = await listen({ promptsListChanged: true });
    expect(await listening.next()).toMatchObject({ params: { notifications: { promptsListChanged: true } } });
    server('one').change({ tools: [] });
    await clock.advance(gatheredMs);
    server('one').change({ prompts: [] });
    await clock.advance(gatheredMs);
    expect(await listening.next()).toMatchObject({ method: 'notifications/prompts/list_changed' });
    await listening.cancel();
  });

  it.each<[string, Authentication]>([
    ['are not good any more', { kind: 'refused', status: 401, message: 'no', hasToken: true }],
    ['are those of somebody else', { kind: 'known', identity: { ...operator, principal: 'other' } }],
    ['give another role', { kind: 'known', identity: { ...operator, role: 'guest' } }],
  ])('is not sent to a stream whose credentials %s: it ends', async (_what, now) => {
    let known: Authentication = { kind: 'known', identity: operator };
    const { server, clock, openStream, listen } = await startBoth({ http: { authenticate: async () => known } });
    const streams = [await openStream(), await listen({ toolsListChanged: true })];
    expect(await streams[1]?.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    known = now;
    server('one').change({ tools: [] });
    await clock.advance(gatheredMs);
    for (const stream of streams) expect(await stream.rest()).toEqual([]);
  });

  it('ends the subscriptions of a removed profile', async () => {
    let isGone = false;
    const { server, clock, listen } = await startBoth({
      file: { profiles: { dev: { servers: ['one'] } } },
      plane: ({ state }) => ({
        state() {
          const now = state();
          return isGone ? { ...now, view: (viewer) => (viewer.profile === null ? now.view(viewer) : undefined) } : now;
        },
      }),
    });
    const ofAll = await listen({ toolsListChanged: true });
    const ofProfile = await listen({ toolsListChanged: true }, undefined, { 'X-Service-Profile': 'dev' });
    await ofAll.next();
    await ofProfile.next();
    isGone = true;
    server('one').change({ tools: [] });
    await clock.advance(gatheredMs);
    expect(await ofAll.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    expect(JSON.stringify(await ofProfile.rest())).not.toContain('list_changed');
    await ofAll.cancel();
  });
});

describe('a resource', () => {
  it('is watched by a session, and reported under the URI it was named by, until the session unsubscribes', async () => {
    const { server, watched, openStream } = await startBoth();
    const { ask, next } = await openStream();
    for (const uri of ['portico://one/a://b', 'portico://two/a://b']) await ask('resources/subscribe', { uri });
    expect(watched).toEqual(['one.a://b', 'two.a://b']);
    server('one').updateResource('a://b');
    expect(await next()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'portico://one/a://b' },
    });
    await ask('resources/unsubscribe', { uri: 'portico://one/a://b' });
    expect(watched).toEqual(['two.a://b']);
    server('one').updateResource('a://b');
    server('two').updateResource('a://b');
    expect(await next()).toMatchObject({ params: { uri: 'portico://two/a://b' } });
  });

  it('is watched once however often a session asks, and no longer than it lives', async () => {
    const { watched, openSession, send } = await startBoth();
    const { ask, headers } = await openSession();
    for (const id of [1, 2]) await ask('resources/subscribe', { uri: 'portico://one/a://b' }, id);
    expect(watched).toEqual(['one.a://b']);
    await send({ method: 'DELETE', headers });
    expect(watched).toEqual([]);
  });

  it.each(['a://nobody', 'a://b'])('%s, which leads nowhere by itself, cannot be watched', async (uri) => {
    const { watched, openSession } = await startBoth();
    const { ask } = await openSession();
    expect((await ask('resources/subscribe', { uri })).body).toMatchObject({ error: { code: -32602 } });
    expect(watched).toEqual([]);
  });

  it('is one of so many that a client may watch', async () => {
    const { watched, plane } = watching();
    const template = { uriTemplate: 'n://{id}', name: 'n' };
    const servers = { one: { definitions: { tools: [], resourceTemplates: [template] } } };
    const { openSession } = await startFacade({ servers, plane });
    const { ask } = await openSession();
    for (let id = 0; id < maxWatches; id += 1) await ask('resources/subscribe', { uri: `n://${id}` });
    expect((await ask('resources/subscribe', { uri: 'n://more' })).body).toMatchObject({
      error: {
        code: -32602,
        message: '1000 resources are watched already (a fixed limit); unsubscribe from some first',
      },
    });
    expect((await ask('resources/subscribe', { uri: 'n://1' })).body).toMatchObject({ result: {} });
    await ask('resources/unsubscribe', { uri: 'n://1' });
    expect((await ask('resources/subscribe', { uri: 'n://more' })).body).toMatchObject({ result: {} });
    expect(watched).toHaveLength(maxWatches);
  });

  it('is watched by a subscription of 2026-07-28 while that is open', async () => {
    const { server, watched, listen } = await startBoth();
    const listening = await listen({ resourceSubscriptions: ['portico://two/a://b', 'a://nobody'] });
    expect(await listening.next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { resourceSubscriptions: ['portico://two/a://b'] }, _meta: subscription },
    });
    expect(watched).toEqual(['two.a://b']);
    server('one').updateResource('a://b');
    server('two').updateResource('a://b');
    expect(await listening.next()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'portico://two/a://b', _meta: subscription },
    });
    await listening.cancel();
    expect(watched).toEqual([]);
  });

  it('is given up when the facade ends, and the subscription gets the end', async () => {
    const { http, watched, listen } = await startBoth();
    const listening = await listen({ resourceSubscriptions: ['portico://one/a://b'] });
    await listening.next();
    await http.close();
    expect(await listening.next()).toMatchObject({ id: 77, result: { resultType: 'complete', _meta: subscription } });
    await expect.poll(() => watched).toEqual([]);
  });
});
