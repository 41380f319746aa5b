// `portico explain`: why a call ended as it did, on one screen.
import type { Answers } from '@portico/client';
import type { Explanation } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from './command.js';
import type { Output } from './output/output.js';
import { toPlainCell } from './output/plain-text.js';

export function addExplain(program: Command, shell: Shell): void {
  addCommand<[string]>(program, shell, {
    usage: 'explain <id>',
    summary: 'Show why a call ended as it did: by its trace, approval, audit record or request',
    examples: [
      'explain 0af7651916cd43dd8448eb211c80319c',
      'explain appr-1790000000-1',
      'explain aud-000000000012 --json',
    ],
    reach: 'state',
    async run({ client, output }, [id]) {
      const answer = await client.explainTrace(id);
      output.answer(answer, () => {
        show(output, answer.explanation);
        showFrames(output, answer);
      });
      return undefined;
    },
  });
}

/** Values of records may hold line breaks: a field stays on its line, so that no text can look like a line of its own. */
function showField(output: Output, label: string, text: string): void {
  output.line(label + toPlainCell(text));
}

export function show(output: Output, explanation: Explanation): void {
  const { summary, trace_id, client, channel, now, verified, verification, missing, others, next } = explanation;
  output.painted(output.paint.bold(toPlainCell(summary)));
  const asked = [client?.name, channel].filter((each) => each !== undefined).join(' over ');
  showField(output, '', `trace ${trace_id ?? 'unknown'}${asked === '' ? '' : `, asked by ${asked}`}`);
  showSteps(output, explanation.steps);
  if (now !== undefined) showField(output, 'now       ', now.text);
  for (const { change, effect, how } of explanation.counterfactuals) {
    showField(output, 'if        ', `${change}: ${effect}`);
    showField(output, '          ', how);
  }
  showField(output, 'caller    ', next.caller);
  showField(output, 'operator  ', next.operator);
  showField(
    output,
    'verified  ',
    `${verified === true ? 'yes' : verified === false ? 'NO' : 'unknown'}: ${verification}`,
  );
  for (const each of missing) showField(output, 'missing   ', each);
  for (const { id, status, capability_id } of others)
    showField(output, 'also      ', `${id} ${status} ${capability_id ?? ''}`);
}

function showFrames(output: Output, { explanation, frames = 0 }: Answers['explainTrace']): void {
  const { trace_id: trace } = explanation;
  if (frames === 0 || trace === null) return;
  const what = frames === 1 ? '1 message is kept' : `${frames} messages are kept`;
  showField(output, 'frames    ', `${what}: portico tail --frames --trace ${trace} --no-follow`);
}

const words: Readonly<Record<Explanation['steps'][number]['verdict'], string>> = {
  passed: 'ok',
  stopped: 'STOPPED',
  waits: 'WAITS',
  asked: 'ASKED',
  replayed: 'REPLAYED',
  not_needed: '-',
  not_reached: 'not reached',
  unknown: 'UNKNOWN',
};

/** Steps that were not reached are one line. */
function showSteps(output: Output, steps: Explanation['steps']): void {
  const reached = steps.filter(({ verdict }) => verdict !== 'not_reached');
  const cited = new Set<string>();
  for (const { step, verdict, because, took_us, evidence } of reached) {
    const took = took_us === undefined ? '' : ` in ${(took_us / 1000).toFixed(1)} ms`;
    const fresh = evidence.filter((id) => !cited.has(id));
    for (const id of fresh) cited.add(id);
    const ids = fresh.length === 0 ? '' : ` [${fresh.join(', ')}]`;
    showField(output, '  ', `${step.padEnd(10)} ${words[verdict].padEnd(9)} ${because}${took}${ids}`);
  }
  const left = steps.filter(({ verdict }) => verdict === 'not_reached').map(({ step }) => step);
  if (left.length > 0) showField(output, '  ', `not reached: ${left.join(', ')}`);
}
