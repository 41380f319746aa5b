// A raw MCP server over stdio whose lists come from a file that the test writes, and that writes down all it receives.
//
//   node scripted-upstream.mjs FOLDER
//     FOLDER/definitions.json   { tools, resources, resourceTemplates, prompts, pageSize, stderrLines, line }, read for every
//                               list;
//                               with `isHeld` it does not answer `initialize` until that is removed,
//                               with `startMs` not for that long
//     FOLDER/journal.jsonl      one line for each message received, in order
//     FOLDER/lines              the very lines
//
// A tool, resource or prompt whose name (the last part of a URI) is one of these does what it says; any other tool
// answers with the request's own params as structuredContent.
//   never          no answer            fail           JSON-RPC error -32000
//   error{code}    that JSON-RPC error  tool_error     a result with isError
//   crash          the process exits    mute           answers, and nothing after that
//   held{by}       answers once FOLDER/released-BY is there
//   slow{ms}       answers after ms     announce{kind} sends list_changed of tools, resources or prompts
//   complain       writes its arguments to stderr as JSON, as `key=value` and in a sentence, and fails with them
//   touch{uri, times}                   sends resources/updated of a URI, once or as often as it says
//   sample{params} asks for a message of a model with these params, and answers with the answer it got: the result or
//                  the error; sample_later asks once it has answered
//   line{text}     writes that line, or `line` of the definitions, in which ID is the id of the request, and no answer
//   job            becomes a task, whose result is written as by `line`
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder] = process.argv.slice(2);
const definitions = () => JSON.parse(readFileSync(join(folder, 'definitions.json'), 'utf8'));
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const silence = Symbol('no answer');
const questions = new Map();
let isMute = false;
let inFlight = 0;

for (let line = 1; line <= (definitions().stderrLines ?? 0); line += 1) process.stderr.write(`line ${line}\n`);

createInterface({ input: process.stdin, crlfDelay: Infinity })
  .on('line', (line) => {
    const message = JSON.parse(line);
    appendFileSync(join(folder, 'lines'), `${line}\n`);
    if (message.method === 'tools/call') inFlight += 1;
    appendFileSync(join(folder, 'journal.jsonl'), `${JSON.stringify({ ...message, pid: process.pid, inFlight })}\n`);
    if (message.method === undefined) return questions.get(message.id)?.(message.result ?? message.error);
    if (message.id === undefined || isMute) return;
    Promise.resolve()
      .then(() => answer(message.method, message.params ?? {}, message.id))
      .then(
        (result) => result !== silence && write({ id: message.id, result }),
        ({ code = -32603, message: reason }) => write({ id: message.id, error: { code, message: reason } }),
      )
      .finally(() => {
        if (message.method === 'tools/call') inFlight -= 1;
      });
  })
  .on('close', () => process.exit(0));

function answer(method, params, id) {
  switch (method) {
    case 'initialize':
      return released().then(() => ({
        protocolVersion: '2025-11-25',
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true },
          prompts: { listChanged: true },
          completions: {},
          ...(definitions().line === undefined ? {} : { tasks: { requests: { tools: { call: {} } } } }),
        },
        serverInfo: { name: 'scripted-upstream', version: '1.0.0' },
      }));
    case 'ping':
      return {};
    case 'tools/list':
      return page('tools', params);
    case 'resources/list':
      return page('resources', params);
    case 'resources/templates/list':
      return page('resourceTemplates', params);
    case 'prompts/list':
      return page('prompts', params);
    case 'completion/complete':
      return { completion: { values: [`${params.argument.value}!`], total: 1, hasMore: false } };
    case 'resources/read':
      return behave(params.uri.split('/').at(-1), {}, id) ?? { contents: [{ uri: params.uri, text: 'content' }] };
    case 'prompts/get':
      return (
        behave(params.name, {}, id) ?? { messages: [{ role: 'user', content: { type: 'text', text: params.name } }] }
      );
    case 'tools/call':
      return (
        behave(params.name, params.arguments ?? {}, id) ?? { ...text(params.name), structuredContent: { ...params } }
      );
    case 'tasks/result':
      return behave('line', {}, id);
    default:
      throw rpcError(-32601, `Method not found: ${method}`);
  }
}

async function released() {
  await new Promise((resolve) => setTimeout(resolve, definitions().startMs ?? 0));
  await until(() => !definitions().isHeld);
}

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

function page(kind, { cursor = '0' }) {
  const { [kind]: all = [], pageSize = 1000 } = definitions();
  const end = Number(cursor) + pageSize;
  return { [kind]: all.slice(Number(cursor), end), ...(end < all.length ? { nextCursor: String(end) } : {}) };
}

function behave(name, args, id) {
  switch (name) {
    case 'never':
      return new Promise(() => {});
    case 'fail':
      throw rpcError(-32000, 'failed on purpose');
    case 'error':
      throw rpcError(args.code, 'failed on purpose');
    case 'tool_error':
      return { ...text('it did not work'), isError: true };
    case 'crash':
      return process.exit(1);
    case 'mute':
      isMute = true;
      return text('from now on nothing');
    case 'held':
      return until(() => existsSync(join(folder, `released-${args.by ?? ''}`))).then(() => text('held'));
    case 'slow':
      return new Promise((resolve) => setTimeout(resolve, args.ms, text('slow')));
    case 'announce':
      write({ method: `notifications/${args.kind}/list_changed` });
      return text('announced');
    case 'complain': {
      const pairs = Object.entries(args).map(([key, value]) => `${key}=${value}`);
      process.stderr.write(`got ${JSON.stringify(args)}\n${pairs.join(' ')}\n${JSON.stringify(args)}\n`);
      throw rpcError(-32000, `cannot work with ${JSON.stringify(args)}`);
    }
    case 'touch':
      for (let sent = 0; sent < (args.times ?? 1); sent += 1) {
        write({ method: 'notifications/resources/updated', params: { uri: args.uri } });
      }
      return text('touched');
    case 'sample':
      return ask('sampling/createMessage', args).then((replies) => ({
        ...text('replies'),
        structuredContent: { replies },
      }));
    case 'line':
      process.stdout.write(`${(args.text ?? definitions().line).replaceAll('ID', id)}\n`);
      return silence;
    case 'job':
      return {
        task: {
          taskId: 'one',
          status: 'working',
          createdAt: '2026-01-01T00:00:00Z',
          lastUpdatedAt: '2026-01-01T00:00:00Z',
          ttl: 60_000,
        },
      };
    case 'sample_later':
      setTimeout(() => void ask('sampling/createMessage', args), 100); // once the answer is there
      return text('later');
    default:
      return undefined;
  }
}

function ask(method, params) {
  const id = `question-${questions.size + 1}`;
  write({ id, method, params });
  return new Promise((resolve) => questions.set(id, resolve));
}

function rpcError(code, message) {
  return Object.assign(new Error(message), { code });
}
