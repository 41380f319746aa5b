// A file of cases for policies: one line a case, and an exit code for a pipeline.
import {
  describeIssues,
  type PolicyCase,
  type PolicyTested,
  parseJson,
  parseWith,
  policyCasesSchema,
} from '@portico/contracts';
import { exitCodes, UsageFailure } from '../failures.js';
import { readText } from '../input/read-text.js';
import { count } from '../output/describe.js';
import type { Output } from '../output/output.js';
import { toPlainCell } from '../output/plain-text.js';
import type { PolicyTester } from './tester.js';

interface CaseResult {
  readonly name: string;
  readonly ok: boolean;
  readonly expected: PolicyCase['expect'];
  readonly got: PolicyCase['expect'];
  readonly rule: string | null;
  readonly written_at: readonly string[];
  /** Why it does not hold; null if it does. */
  readonly problem: string | null;
}

/** @throws UsageFailure for a file that is no list of cases; nothing is tested then */
export async function testFile(
  output: Output,
  tester: PolicyTester,
  file: string,
  stopped: AbortSignal,
): Promise<number> {
  const cases = parseCases(await readText(file, stopped), file);
  const results: CaseResult[] = [];
  for (const each of cases) {
    const result = await resultOf(tester, each);
    results.push(result);
    if (!output.isJson) output.line(lineOf(result));
  }
  const failed = results.filter(({ ok }) => !ok).length;
  const summary = `${count(results.length, 'case')}, ${failed === 0 ? 'all hold' : `${failed} failed`}`;
  output.answer({ ok: failed === 0, cases: results }, () => output.line(summary));
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
}

/** @throws UsageFailure */
function parseCases(text: string, file: string): readonly PolicyCase[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new UsageFailure(`${file}: is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = parseWith(policyCasesSchema, value);
  if (!parsed.ok) throw new UsageFailure(`${file}: ${describeIssues(parsed.issues)}`);
  return parsed.value;
}

const got: Readonly<Record<PolicyTested['effect'], PolicyCase['expect']>> = {
  runs: 'allow',
  waits_for_approval: 'approve',
  denied: 'deny',
  not_found: 'absent',
};

async function resultOf(tester: PolicyTester, given: PolicyCase): Promise<CaseResult> {
  const { name, as: who, call: id, kind, args, expect: expected } = given;
  const common = { name, expected };
  try {
    const tested = await tester.test({ id, kind, role: who?.role, profile: who?.profile, args });
    const problem = problemOf(given, tested);
    const { rule, written_at } = tested;
    return { ...common, ok: problem === null, got: got[tested.effect], rule, written_at, problem };
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { message: `case "${name}": ${error.message}` }) : error;
  }
}

function problemOf({ expect: expected, rule }: PolicyCase, tested: PolicyTested): string | null {
  const { effect, pattern, arguments: args, near } = tested;
  const by = tested.rule === null ? 'no rule' : `the rule ${tested.rule}`;
  if (got[effect] !== expected) {
    const meant = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
    return `expected ${expected}, got ${got[effect]} by ${by}${meant}`;
  }
  if (tested.depends_on.length > 0)
    return `it depends on the arguments, by ${tested.depends_on.join(', ')}: give the case args`;
  if (rule !== undefined && rule !== tested.rule && rule !== pattern) return `expected the rule ${rule}, got ${by}`;
  return args?.fits === 'no' ? `its arguments do not fit: ${args.problem}` : null;
}

function lineOf({ ok, name, got: verdict, problem }: CaseResult): string {
  return toPlainCell(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${problem ?? verdict}`);
}
