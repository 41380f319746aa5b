// Requests of servers to a model, and the answers to them.
import type { Answers } from '@portico/client';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type Session, type Shell } from '../command.js';
import { UsageFailure } from '../failures.js';
import { openTerminal } from '../input/ask.js';
import { toPositive } from '../input/numbers.js';
import { addPageFlags, type PageOptions } from '../input/page.js';
import { readText } from '../input/read-text.js';
import { showFields } from '../output/describe.js';
import { toPlainBlock } from '../output/plain-text.js';
import { textsOf } from '../output/show-result.js';

type Ticket = Answers['getSamplingRequest']['request'];

export function addSampling(program: Command, shell: Shell): void {
  const group = addGroup(program, 'sampling', 'Answer what servers ask of a model');
  for (const add of [addList, addShow, addRespond, addCreate]) add(group, shell);
}

function addList(group: Command, shell: Shell): void {
  addCommand<[], PageOptions & { readonly status?: string; readonly server?: string }>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List tickets, newest first',
    examples: ['sampling list --status pending', 'sampling list --server tracker --json'],
    flags: (command) =>
      addPageFlags(command)
        .addOption(new Option('--status <status>', 'only these').choices(['pending', 'completed', 'expired']))
        .option('--server <id>', 'only of this server'),
    async run({ client, output }, _args, { status, server, limit, offset }) {
      const answer = await client.listSamplingRequests({ status, server_id: server, limit, offset });
      const columns = [
        { heading: 'ID', cell: ({ id }: Ticket) => id },
        { heading: 'STATUS', cell: (ticket: Ticket) => ticket.status, value: 1 },
        { heading: 'SERVER', cell: ({ server_id }: Ticket) => server_id, isId: true, value: 3 },
        { heading: 'EXPIRES', time: ({ expires_at }: Ticket) => expires_at, value: 2 },
        { heading: 'ASKS', cell: ({ messages }: Ticket) => textsOf({ messages }).join(' ') },
      ];
      output.answer(answer, () => output.table(columns, answer.requests, 'no tickets'));
      return undefined;
    },
  });
}

function addShow(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'show <id>',
    ids: ['sampling'],
    summary: 'Show a ticket with its messages, and its answer, if it has one',
    examples: ['sampling show samp-1790000000-1'],
    async run({ client, output }, [id]) {
      const answer = await client.getSamplingRequest(id);
      output.answer(answer, () => showTicket(output, answer.request));
      return undefined;
    },
  });
}

interface RespondOptions {
  readonly text?: string;
  readonly textFile?: string;
  readonly model?: string;
  readonly stopReason?: string;
}

function addRespond(group: Command, shell: Shell): void {
  addCommand<[string], RespondOptions>(group, shell, {
    usage: 'respond <id>',
    ids: ['sampling'],
    summary: 'Answer a ticket with a text',
    examples: [
      'sampling respond samp-1790000000-1 --text "Two issues are open."',
      'sampling respond samp-1790000000-1 --text-file -',
    ],
    flags: (command) =>
      command
        .option('--text <text>', 'the answer')
        .option('--text-file <file>', 'a file with the answer; - reads stdin')
        .option('--model <name>', 'who answers (default: human)')
        .option('--stop-reason <reason>', 'why the answer ends'),
    async run(session, [id], options) {
      const content = { type: 'text', text: await answerOf(session, id, options) };
      const { model = null, stopReason = null } = options;
      const answer = await session.client.respondToSamplingRequest(id, {
        role: 'assistant',
        content,
        model,
        stop_reason: stopReason,
      });
      session.output.answer(answer, () => showTicket(session.output, answer.request));
      return undefined;
    },
  });
}

async function answerOf(
  { client, output, stopped }: Session,
  id: string,
  { text, textFile }: RespondOptions,
): Promise<string> {
  if (text !== undefined) return text;
  if (textFile !== undefined) return readText(textFile, stopped);
  const terminal = openTerminal(stopped);
  if (terminal === undefined) throw new UsageFailure('give the answer with --text or --text-file');
  const { request } = await client.getSamplingRequest(id);
  for (const line of textsOf({ messages: request.messages as never })) output.note(line);
  return terminal.ask('answer: ').finally(terminal.close);
}

function addCreate(group: Command, shell: Shell): void {
  addCommand<[string, string], { readonly maxTokens?: number }>(group, shell, {
    usage: 'create <server> <text>',
    ids: ['server'],
    summary: 'Open a ticket in the name of a server, and wait for the answer',
    examples: ['sampling create tracker "Summarise issue 7" --max-tokens 200'],
    flags: (command) => command.option('--max-tokens <n>', 'tokens of the answer', toPositive),
    async run({ client, output }, [server_id, text], { maxTokens = null }) {
      const clear = output.progress('waiting for an answer');
      const messages = [{ role: 'user', content: { type: 'text', text } }];
      const answer = await client.createMessage({ server_id, messages, max_tokens: maxTokens }).finally(clear);
      output.answer(answer, () => output.line(JSON.stringify(answer.data, null, 2)));
      return undefined;
    },
  });
}

function showTicket(output: Session['output'], ticket: Ticket): void {
  showFields(output, {
    id: ticket.id,
    status: ticket.status,
    server: ticket.server_id,
    origin: ticket.origin,
    created: output.time(ticket.created_at),
    expires: output.time(ticket.expires_at),
    'max tokens': ticket.max_tokens,
    params: ticket.params,
  });
  output.painted(`\n${toPlainBlock(textsOf({ messages: ticket.messages as never }).join('\n'))}`);
  if (ticket.result !== undefined)
    output.painted(`\n${toPlainBlock(textsOf({ messages: [ticket.result] as never }).join('\n'))}`);
}
