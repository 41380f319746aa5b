// Calls that go on without their caller.
import type { TaskRecord } from '@portico/contracts';
import { type Command, Option } from 'commander';
import { showOutcome } from '../approvals/show.js';
import { answerInputRequests } from '../catalog/answer-input-requests.js';
import { addCommand, addGroup, type Session, type Shell } from '../command.js';
import { exitCodes, UsageFailure } from '../failures.js';
import { openTerminal } from '../input/ask.js';
import { parseObject } from '../input/json-arguments.js';
import { addPageFlags, type PageOptions } from '../input/page.js';
import { isObject } from '../is-object.js';
import { showFields } from '../output/describe.js';

export function addTasks(program: Command, shell: Shell): void {
  const group = addGroup(program, 'tasks', 'Follow calls that go on without their caller');
  for (const add of [addList, addShow, addRespond, addCancel]) add(group, shell);
}

function addList(group: Command, shell: Shell): void {
  addCommand<[], PageOptions & { readonly status?: string }>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List tasks, newest first',
    examples: ['tasks list --status working'],
    flags: (command) =>
      addPageFlags(command).addOption(
        new Option('--status <status>', 'only these').choices([
          'working',
          'input_required',
          'completed',
          'failed',
          'cancelled',
        ]),
      ),
    async run({ client, output }, _args, { status, limit, offset }) {
      const answer = await client.listTasks({ status, limit, offset });
      const columns = [
        { heading: 'ID', cell: ({ task_id }: TaskRecord) => task_id },
        { heading: 'STATUS', cell: (task: TaskRecord) => task.status, value: 2 },
        { heading: 'CAPABILITY', cell: ({ capability_id }: TaskRecord) => capability_id, isId: true, value: 3 },
        { heading: 'UPDATED', time: ({ updated_at }: TaskRecord) => updated_at, value: 1 },
        { heading: 'MESSAGE', cell: ({ status_message }: TaskRecord) => status_message },
      ];
      output.answer(answer, () => output.table(columns, answer.tasks, 'no tasks'));
      return undefined;
    },
  });
}

function addShow(group: Command, shell: Shell): void {
  addCommand<[string], { readonly follow?: true }>(group, shell, {
    usage: 'show <id>',
    ids: ['task'],
    summary: 'Show a task, and its result, if it has ended',
    examples: ['tasks show 4f0c…', 'tasks show 4f0c… --follow'],
    flags: (command) => command.option('--follow', 'wait until it has ended or asks something'),
    async run({ client, output, stopped }, [id], { follow }) {
      let answer = await client.getTask(id);
      const clear = follow === true ? output.progress(`waiting for task ${id}`) : () => {};
      while (follow === true && answer.task.status === 'working' && !stopped.aborted) {
        await new Promise((wake) => setTimeout(wake, answer.task.poll_interval_ms));
        answer = await client.getTask(id);
      }
      clear();
      output.answer(answer, () => showTask(output, answer.task));
      return answer.task.status === 'failed' || answer.task.status === 'cancelled' ? exitCodes.failed : exitCodes.ok;
    },
  });
}

function addRespond(group: Command, shell: Shell): void {
  addCommand<[string, string | undefined]>(group, shell, {
    usage: 'respond <id> [responses]',
    ids: ['task'],
    summary: 'Answer the questions of a task: JSON by their keys, or at the terminal',
    examples: [
      'tasks respond 4f0c…',
      'tasks respond 4f0c… \'{"name": {"action": "accept", "content": {"city": "Rome"}}}\'',
    ],
    async run(session, [id, responses]) {
      const input_responses =
        responses === undefined ? await askFor(session, id) : parseObject(responses, 'the responses');
      const answer = await session.client.respondToTask(id, { input_responses });
      session.output.answer(answer, () => showTask(session.output, answer.task));
      return undefined;
    },
  });
}

function addCancel(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'cancel <id>',
    ids: ['task'],
    summary: 'Cancel a task',
    examples: ['tasks cancel 4f0c…'],
    async run({ client, output }, [id]) {
      const answer = await client.cancelTask(id);
      output.answer(answer, () => showTask(output, answer.task));
      return undefined;
    },
  });
}

async function askFor({ client, output, stopped }: Session, id: string) {
  const { input_requests } = (await client.getTask(id)).task;
  if (input_requests === undefined)
    throw new UsageFailure(`task ${id} asks nothing; "portico tasks show ${id}" shows its state`);
  const terminal = openTerminal(stopped);
  if (terminal === undefined) {
    throw new UsageFailure(`give the responses as JSON for: ${Object.keys(input_requests).join(', ')}`);
  }
  return answerInputRequests(input_requests, terminal.ask, output.note).finally(terminal.close);
}

function showTask(output: Session['output'], task: TaskRecord): void {
  showFields(output, {
    id: task.task_id,
    status: task.status,
    message: task.status_message,
    capability: task.capability_id,
    request: task.request_id,
    created: output.time(task.created_at),
    updated: output.time(task.updated_at),
    asks: isObject(task.input_requests) ? JSON.stringify(task.input_requests, null, 2) : undefined,
  });
  if (task.result !== undefined) showOutcome(output, task.result);
}
