// Steps of a JavaScript client with an MCP server; clients of other languages do the same. A client gets
// one argument, `{ target, server }` as JSON, and writes a line of JSON for each step: `{step, result}`, `{step, lacks}` where
// the client cannot do it, or `{step, error}`. A client that cannot be asked has a `result` beside `lacks`: how a call ends
// that asks it.
//
//   target   {kind: "stdio", command, args} or {kind: "http", url}
//   server   the server's id where it is behind Portico; null in a session with the server itself
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Answers of a client to requests; the steps of the three compare whether each arrives. */
export const answers = {
  'elicitation/create': { action: 'accept', content: { username: 'ada', email: 'ada@example.org' } },
  'sampling/createMessage': {
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
    model: 'interop',
    stopReason: 'endTurn',
  },
  'roots/list': { roots: [{ uri: 'file:///interop', name: 'interop' }] },
};

export const capabilities = { elicitation: {}, sampling: {}, roots: {} };
export const clientInfo = { name: 'interop', version: '1.0.0' };

/** Looks again this often, at most, for what the server sees a moment later. */
const maxLooks = 400;
const lookMs = 25;
/** Only for what would never end. */
const maxStepMs = 30_000;

/**
 * @typedef {object} Session what a client can do, under the names that the server itself uses
 * @property {() => Promise<readonly object[]>} tools every page of the list
 * @property {(name: string, args: object, options?: {onProgress?: (progress: object) => void, signal?: AbortSignal}) => Promise<object>} call
 * @property {() => Promise<readonly object[]>} resources
 * @property {() => Promise<readonly object[]>} templates
 * @property {(uri: string) => Promise<object>} read
 * @property {() => Promise<readonly object[]>} prompts
 * @property {(name: string, args: object) => Promise<object>} prompt
 * @property {() => Promise<void>} close
 */

/**
 * @param {object} client
 * @param {(target: object, asked: (method: string, params: object) => object) => Promise<Session>} client.connect
 * @param {Readonly<Record<string, string>>} [client.lacks] steps that the client cannot do, and why
 */
export async function runSteps({ connect, lacks = {} }) {
  const { target, server } = JSON.parse(process.argv[2]);
  const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
  const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
  const asked = [];
  const open = () =>
    connect(target, (method, params) => {
      asked.push({ method, params });
      return answers[method];
    });
  let session = await open();
  const context = {
    server,
    asked,
    session: () => session,
    async reopen() {
      await session.close().catch(() => {});
      session = await open();
    },
    async restart() {
      say({ step: 'restart', waiting: true });
      await lines.next();
    },
  };
  for (const [step, run] of Object.entries(steps)) {
    const missing = lacks[step] === undefined ? {} : { lacks: lacks[step] };
    if (lacks[step] !== undefined && !(step in questions)) {
      say({ step, ...missing });
      continue;
    }
    try {
      const end = lacks[step] === undefined ? run(context) : refusal(run(context));
      say({ step, ...missing, result: await within(maxStepMs, end) });
    } catch (error) {
      say({ step, error: String(error?.message ?? error) });
    }
  }
  await session.close().catch(() => {});
  process.exit(0);
}

/** Tools that ask. */
const questions = {
  elicitation: ['test_elicitation', { message: 'Who are you?' }],
  sampling: ['test_sampling', { prompt: 'What is the capital of France?' }],
  roots: ['test_input_required_result_list_roots', {}],
};

const steps = {
  list: async (context) => (await toolsOf(context)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  search: async (context) => ({ first: await findTool(context, 'Reports progress three times') }),
  describe: (context) => describe(context, 'json_schema_2020_12_tool'),
  async call(context) {
    const names = ['test_multiple_content_types', 'test_error_handling', 'count_waits'];
    const results = [await call(context, 'greet', { name: 'Ada ✓' })];
    for (const name of names) results.push(await call(context, name));
    return results;
  },
  async resources({ session }) {
    const client = session();
    return {
      list: await client.resources(),
      templates: await client.templates(),
      text: await client.read('test://static-text'),
      binary: await client.read('test://static-binary'),
      made: await client.read('test://template/7/data'),
    };
  },
  async prompts({ session, server }) {
    const list = (await session().prompts()).filter(({ name }) => isOf(server, name));
    return {
      list: list.map((prompt) => ({ ...prompt, name: ownName(server, prompt.name) })),
      plain: await session().prompt(nameOf(server, 'test_simple_prompt'), {}),
      filled: await session().prompt(nameOf(server, 'test_prompt_with_arguments'), { arg1: 'a', arg2: 'b' }),
    };
  },
  elicitation: (context) => ask(context, ...questions.elicitation),
  sampling: (context) => ask(context, ...questions.sampling),
  roots: (context) => ask(context, ...questions.roots),
  async progress(context) {
    const progress = [];
    let hasBoth = () => {};
    const both = new Promise((resolve) => {
      hasBoth = resolve;
    });
    const onProgress = (each) => {
      progress.push(each);
      if (progress.length === 2) hasBoth();
    };
    const answer = call(context, 'report_progress', {}, { onProgress });
    await Promise.race([both, answer]);
    await call(context, 'finish_progress');
    return { progress, result: await answer };
  },
  async cancel(context) {
    const controller = new AbortController();
    const call = context.session().call(nameOf(context.server, 'wait_for_cancel'), {}, { signal: controller.signal });
    const ended = call.then(
      () => 'answered',
      () => 'cancelled',
    );
    await counted(context, ({ waiting }) => waiting === 1);
    controller.abort(new Error('the user cancelled'));
    return { call: await ended, seen: await counted(context, ({ cancelled }) => cancelled === 1) };
  },
  async restart(context) {
    if (context.server === null) return greeting(context);
    await context.restart();
    try {
      return await greeting(context);
    } catch {
      await context.reopen(); // a session over HTTP ends with its server: 2025-11-25, "Session Management"
      return { ...(await greeting(context)), afterConnectingAgain: true };
    }
  },
};

function within(ms, promise) {
  const late = sleep(ms, undefined, { ref: false }).then(() => {
    throw new Error(`no end after ${ms / 1000} s`);
  });
  return Promise.race([promise, late]);
}

const nameOf = (server, name) => (server === null ? name : `${server}__${name}`);
const isOf = (server, name) => server === null || name.startsWith(`${server}__`);
const ownName = (server, name) => (server === null ? name : name.slice(server.length + 2));

const call = ({ session, server }, name, args = {}, options = {}) =>
  session().call(nameOf(server, name), args, options);

async function toolsOf({ session, server }) {
  const tools = (await session().tools()).filter(({ name }) => isOf(server, name));
  return tools.map((tool) => ({ ...tool, name: ownName(server, tool.name) }));
}

/** By one of Portico's own tools, whose answer is text for clients that do not know structured content. */
async function ownTool({ session }, name, args) {
  return JSON.parse((await session().call(name, args)).content[0].text);
}

/** A session with the server itself has no search: there the tool is the one that is described so. */
async function findTool(context, query) {
  if (context.server === null) return (await toolsOf(context)).find(({ description }) => description === query).name;
  const { capabilities: found } = await ownTool(context, 'capability_search', { query });
  return found[0].id.slice(context.server.length + 1);
}

async function describe(context, name) {
  if (context.server === null) {
    const { description, inputSchema } = (await toolsOf(context)).find((tool) => tool.name === name);
    return { description, inputSchema };
  }
  const { capability } = await ownTool(context, 'capability_describe', { capability_id: `${context.server}.${name}` });
  return { description: capability.description, inputSchema: capability.input_schema };
}

/** Requests to the client in the call, and the server's result for the answer. */
async function ask(context, name, args) {
  context.asked.length = 0;
  const result = await call(context, name, args);
  return { asked: [...context.asked], result };
}

/** The words of a refusal are the server's or Portico's; that there is one is what counts. */
async function refusal(asking) {
  const { result } = await asking.catch(() => ({ result: { isError: true } }));
  return result.isError === true ? 'refused' : result;
}

async function counted(context, isEnough) {
  let waits = {};
  for (let look = 0; look < maxLooks && !isEnough(waits); look += 1) {
    if (look > 0) await sleep(lookMs);
    waits = JSON.parse((await call(context, 'count_waits')).content[0].text);
  }
  return waits;
}

async function greeting(context) {
  const { content } = await call(context, 'greet', { name: 'Ada' });
  return { content };
}
