// A raw MCP server over stdio or HTTP that asks before it answers, in one era or the other, and writes down all it receives.
//
//   node asking-upstream.mjs FOLDER [--modern] [--http]
//     FOLDER/journal.jsonl   one line for each message received, in order
//     FOLDER/released-BY     has it answer the calls of `hold` with this in their arguments
//     FOLDER/alone           while it is there, a further process exits at once
//   With --http it prints `listening on PORT`.
//
//   ask{method, params, times,   asks (elicitation/create by default), and answers with the answers it got: by requests of
//       patienceMs, isStrict,    its own (2025-11-25), or by answering `input_required` first (2026-07-28); one of
//       by}                      2025-11-25 answers without an answer when its patience, if it has any, ends, and
//                                with an error where it got one and is strict; with `by` it asks when that is released
//   ask_too                      the same
//   hold{by}                     answers when it is released
//   crash                        ends the process
//   whoami                       its process id
//   count{to}                    reports progress from 1 to `to`, and a log message at each step
//   job{ms, asks}                runs as a task: by the tasks extension (2026-07-28), or only when it is called as a task
//                                (2025-11-25); fails where `ms` is negative
//   echo                         answers with its params
import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [folder, ...flags] = process.argv.slice(2);
const isModern = flags.includes('--modern');
if (existsSync(join(folder, 'alone'))) process.exit(1);
const state = 'opaque: é %20 "✓"';
const form = {
  mode: 'form',
  message: 'who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};
/** The reply stream of the request that is worked on, over HTTP. */
const streams = new AsyncLocalStorage();
const toStdout = (text) => process.stdout.write(`${text}\n`);
const write = (message) => (streams.getStore() ?? toStdout)(JSON.stringify({ jsonrpc: '2.0', ...message }));
const waiting = new Map();
const tasks = new Map();
let asked = 0;

if (flags.includes('--http')) serveHttp();
else {
  createInterface({ input: process.stdin, crlfDelay: Infinity })
    .on('line', (line) => void receive(line))
    .on('close', () => process.exit(0));
}

async function receive(line) {
  const message = JSON.parse(line);
  appendFileSync(join(folder, 'journal.jsonl'), `${JSON.stringify({ ...message, pid: process.pid })}\n`);
  if (message.method === undefined) return waiting.get(message.id)?.(message.result ?? { error: message.error });
  if (message.id === undefined) return;
  try {
    const result = await answer(message.method, message.params ?? {});
    write({ id: message.id, result: isModern ? { resultType: 'complete', ...result } : result });
  } catch ({ code = -32603, message: reason }) {
    write({ id: message.id, error: { code, message: reason } });
  }
}

function serveHttp() {
  const server = createServer(async (incoming, outgoing) => {
    const chunks = await incoming.toArray();
    if (incoming.method !== 'POST') return outgoing.writeHead(405).end();
    const text = Buffer.concat(chunks).toString();
    const { id, method } = JSON.parse(text);
    if (id === undefined || method === undefined) {
      await receive(text);
      return outgoing.writeHead(202).end();
    }
    outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 'one' });
    await streams.run(
      (message) => outgoing.write(`data: ${message}\n\n`),
      () => receive(text),
    );
    outgoing.end();
  });
  server.listen(0, '127.0.0.1', () => toStdout(`listening on ${server.address().port}`));
}

function answer(method, params) {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true },
    logging: {},
    ...(isModern
      ? { extensions: { 'io.modelcontextprotocol/tasks': {} } }
      : { tasks: { requests: { tools: { call: {} } } } }),
  };
  const list = { ttlMs: 0, cacheScope: 'private' };
  switch (method) {
    case 'server/discover':
      if (isModern) return { supportedVersions: ['2026-07-28'], capabilities, ...list };
      break;
    case 'initialize':
      if (!isModern) return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'asks', version: '1' } };
      break;
    case 'ping':
      return {};
    case 'logging/setLevel':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return {};
    case 'subscriptions/listen':
      return new Promise(() => {});
    case 'tools/list':
      return { tools: tools(), ...list };
    case 'resources/list':
      return { resources: [{ uri: 'x:watched', name: 'watched' }], ...list };
    case 'resources/templates/list':
      return { resourceTemplates: [], ...list };
    case 'tools/call':
      return call(params);
    case 'tasks/get':
      return tasks.get(params.taskId).get();
    case 'tasks/result':
      return tasks.get(params.taskId).result();
    case 'tasks/update':
      return tasks.get(params.taskId).update(params.inputResponses);
    case 'tasks/cancel':
      return tasks.get(params.taskId).cancel();
  }
  throw Object.assign(new Error(`Method not found: ${method}`), { code: -32601 });
}

function tools() {
  const tool = (name, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
  const job = isModern ? tool('job') : tool('job', { execution: { taskSupport: 'required' } });
  const plain = ['ask', 'ask_too', 'count', 'echo', 'hold', 'crash', 'whoami'].map((name) => tool(name));
  return [...plain, job];
}

async function call({ name, arguments: args = {}, _meta = {}, ...turn }) {
  switch (name) {
    case 'hold':
      await released(args.by);
      return content({ held: args.by });
    case 'crash':
      return process.exit(1);
    case 'whoami':
      return content({ pid: process.pid });
    case 'ask':
    case 'ask_too':
      return isModern ? askFirst(args, turn) : askMeanwhile(args);
    case 'count':
      for (let progress = 1; progress <= args.to; progress += 1) {
        const { progressToken } = _meta;
        if (progressToken !== undefined) {
          write({ method: 'notifications/progress', params: { progressToken, progress, total: args.to } });
        }
        if (!isModern || _meta['io.modelcontextprotocol/logLevel'] !== undefined) {
          write({ method: 'notifications/message', params: { level: 'info', logger: 'count', data: progress } });
        }
      }
      return content({ to: args.to });
    case 'job':
      return startJob(args, turn.task);
    default:
      return content({ name, arguments: args, _meta, ...turn });
  }
}

async function released(by) {
  while (!existsSync(join(folder, `released-${by}`))) await sleep(10);
}

const content = (structuredContent) => ({ content: [{ type: 'text', text: 'done' }], structuredContent });

const ask = (method, params) =>
  new Promise((resolve) => {
    asked += 1;
    const id = `question-${asked}`;
    waiting.set(id, resolve);
    write({ id, method, params });
  });

async function askMeanwhile({
  method = 'elicitation/create',
  params = form,
  times = 1,
  patienceMs,
  isStrict = false,
  by,
}) {
  if (by !== undefined) await released(by);
  const replies = [];
  const over = new Promise((resolve) => patienceMs !== undefined && setTimeout(resolve, patienceMs, 'over'));
  while (replies.length < times) {
    const answer = await Promise.race([ask(method, params), over]);
    if (answer === 'over') return content({ replies: null });
    if (isStrict && answer.error !== undefined) throw new Error(answer.error.message);
    replies.push(answer);
  }
  return content({ replies });
}

function askFirst({ method = 'elicitation/create', params = form, times = 1 }, { inputResponses, requestState }) {
  const [, replies] = requestState === undefined ? [] : requestState.split('\n');
  if (requestState !== undefined && !requestState.startsWith(state)) {
    throw Object.assign(new Error('the state was changed'), { code: -32602 });
  }
  const before = replies === undefined ? [] : JSON.parse(replies);
  const all = inputResponses === undefined ? before : [...before, inputResponses[`round-${before.length + 1}`]];
  if (all.length >= times) return content({ replies: all });
  return {
    resultType: 'input_required',
    inputRequests: { [`round-${all.length + 1}`]: { method, params } },
    requestState: `${state}\n${JSON.stringify(all)}`,
  };
}

function startJob({ ms = 0, asks = false }, asTask) {
  if (!isModern && asTask === undefined)
    throw Object.assign(new Error('job has to be called as a task'), { code: -32601 });
  const id = `job-${tasks.size + 1}`;
  const task = { status: 'working', replies: undefined };
  const now = new Date().toISOString();
  const shown = () => ({ taskId: id, status: task.status, createdAt: now, lastUpdatedAt: now });
  let finish;
  task.ended = new Promise((resolve, reject) => {
    finish = (status, end) => {
      if (task.status === 'completed' || task.status === 'failed' || task.status === 'cancelled') return;
      task.status = status;
      if (end instanceof Error) reject(end);
      else resolve(end);
    };
  });
  task.ended.catch(() => {});
  const complete = () =>
    ms < 0
      ? finish('failed', Object.assign(new Error('the job failed'), { code: -32000 }))
      : setTimeout(() => finish('completed', content({ replies: task.replies ?? null })), ms);
  tasks.set(id, {
    result() {
      if (asks) {
        void ask('elicitation/create', form).then((answer) => {
          task.replies = answer;
          complete();
        });
      }
      return task.ended;
    },
    async get() {
      if (task.status === 'completed') return { ...shown(), result: await task.ended };
      if (task.status === 'failed') return { ...shown(), error: { code: -32000, message: 'the job failed' } };
      const questions = { name: { method: 'elicitation/create', params: form } };
      return {
        ...shown(),
        ttlMs: null,
        pollIntervalMs: 100,
        ...(task.status === 'input_required' ? { inputRequests: questions } : {}),
      };
    },
    update(responses) {
      task.replies = responses.name;
      task.status = 'working';
      complete();
      return {};
    },
    cancel() {
      finish('cancelled', Object.assign(new Error('the job was cancelled'), { code: -32000 }));
      return isModern ? {} : shown();
    },
  });
  if (!asks) complete();
  else task.status = 'input_required';
  const more = { ttlMs: null, pollIntervalMs: 100 };
  return isModern
    ? { resultType: 'task', ...shown(), ...more }
    : { task: { ...shown(), ttl: null, pollInterval: 100 } };
}
