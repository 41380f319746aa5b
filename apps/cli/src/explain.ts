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
      output.answer(answer, () => show(output, answer));
      return undefined;
    },
  });
}

export function show(output: Output, answer: Parameters<typeof explanationLines>[0]): void {
  const [summary = '', ...lines] = explanationLines(answer);
  output.painted(output.paint.bold(summary));
  for (const text of lines) output.line(text);
}

/** The lines of an explanation, the first of them its summary. */
export function explanationLines({
  explanation,
  frames = 0,
}: Pick<Answers['explainTrace'], 'explanation' | 'frames'>): readonly string[] {
  const { summary, trace_id, client, channel, now, verified, verification, missing, others, next } = explanation;
  const asked = [client?.name, channel].filter((each) => each !== undefined).join(' over ');
  return [
    toPlainCell(summary),
    field('', `trace ${trace_id ?? 'unknown'}${asked === '' ? '' : `, asked by ${asked}`}`),
    ...stepLines(explanation.steps),
    ...(now === undefined ? [] : [field('now       ', now.text)]),
    ...explanation.counterfactuals.flatMap(({ change, effect, how }) => [
      field('if        ', `${change}: ${effect}`),
      field('          ', how),
    ]),
    field('caller    ', next.caller),
    field('operator  ', next.operator),
    field('verified  ', `${verified === true ? 'yes' : verified === false ? 'NO' : 'unknown'}: ${verification}`),
    ...missing.map((each) => field('missing   ', each)),
    ...others.map(({ id, status, capability_id }) => field('also      ', `${id} ${status} ${capability_id ?? ''}`)),
    ...frameLines(trace_id, frames),
  ];
}

/** Values of records may hold line breaks: a field stays on its line, so that no text can look like a line of its own. */
function field(label: string, text: string): string {
  return label + toPlainCell(text);
}

function frameLines(trace: string | null, frames: number): readonly string[] {
  if (frames === 0 || trace === null) return [];
  const what = frames === 1 ? '1 message is kept' : `${frames} messages are kept`;
  return [field('frames    ', `${what}: portico tail --frames --trace ${trace} --no-follow`)];
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
function stepLines(steps: Explanation['steps']): readonly string[] {
  const cited = new Set<string>();
  const reached = steps.filter(({ verdict }) => verdict !== 'not_reached');
  const lines = reached.map(({ step, verdict, because, took_us, evidence }) => {
    const took = took_us === undefined ? '' : ` in ${(took_us / 1000).toFixed(1)} ms`;
    const fresh = evidence.filter((id) => !cited.has(id));
    for (const id of fresh) cited.add(id);
    const ids = fresh.length === 0 ? '' : ` [${fresh.join(', ')}]`;
    return field('  ', `${step.padEnd(10)} ${words[verdict].padEnd(9)} ${because}${took}${ids}`);
  });
  const left = steps.filter(({ verdict }) => verdict === 'not_reached').map(({ step }) => step);
  return left.length === 0 ? lines : [...lines, field('  ', `not reached: ${left.join(', ')}`)];
}
