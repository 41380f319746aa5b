// The lock of definitions as a finding: a file that cannot be used, what differs from it and is held, and what a look at all
// definitions found. Only computations.
import {
  type DriftView,
  definitionTitle,
  driftSummary,
  type FindingView,
  findingSentences,
  heldText,
  lockFaultText,
  worstFindingsFirst,
} from '@portico/contracts';
import { type Finding, ok, problem, warning } from './findings.js';

export interface LockSeen {
  /** The strictest mode of any server. */
  readonly mode: 'off' | 'warn' | 'enforce';
  /** Undefined if it is off. */
  readonly file: string | undefined;
  readonly isMissing: boolean;
  readonly fault: string | undefined;
  readonly drifts: readonly DriftView[];
  readonly findings: readonly FindingView[];
  /** Servers whose every definition is held. */
  readonly whollyHeld: readonly string[];
}

export function judgeLock(seen: LockSeen): Finding[] {
  const { mode, file = 'the lock', findings } = seen;
  if (mode === 'off') return judgeFindings(findings);
  const drifts = seen.fault === undefined ? judgeDrifts(seen) : [judgeFault(seen, seen.fault)];
  const fine = drifts.length === 0 ? [ok('lock', `${file}: all is as it was accepted, mode ${mode}`)] : [];
  return [...fine, ...drifts, ...judgeFindings(findings)];
}

/** In mode `enforce` nothing is served then, and `/readyz` says so. */
function judgeFault({ mode, isMissing }: LockSeen, fault: string): Finding {
  const code = isMissing ? 'lock-missing' : 'lock-unusable';
  return mode === 'enforce'
    ? problem(code, 'lock', `${lockFaultText}, /readyz is 503: ${fault}`)
    : warning(code, 'lock', `nothing is compared: ${fault}`);
}

function judgeDrifts({ drifts, whollyHeld }: LockSeen): Finding[] {
  const servers = [...new Set(drifts.map(({ server_id: server }) => server))];
  return servers.map((server) => {
    const own = drifts.filter((drift) => drift.server_id === server);
    const held = own.filter((drift) => drift.held).length;
    const more = {
      details: shortened(own.map((drift) => `${drift.class}  ${definitionTitle(drift)}`)),
      names: { ID: server },
    };
    return held === 0
      ? warning('definitions-differ', `server ${server}`, `${driftSummary(own)}, and nothing is held`, more)
      : warning(
          'definitions-held',
          `server ${server}`,
          heldText({ held, wholly_held: whollyHeld.includes(server) }),
          more,
        );
  });
}

/** One for each rule and server: a name that two servers share is found for each of its tools. */
function judgeFindings(findings: readonly FindingView[]): Finding[] {
  const groups = new Map<string, FindingView[]>();
  for (const finding of worstFindingsFirst(findings)) {
    const key = `${finding.rule} ${finding.server_id}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const of = (finding: FindingView) => `${definitionTitle(finding)}: ${finding.evidence}`;
    const { rule, server_id: server } = first;
    const subjects = others.length === 0 ? definitionTitle(first) : `${others.length + 1} definitions, each of which`;
    return [
      warning('definition-finding', `server ${server}`, `${subjects} ${findingSentences[rule]} (${rule})`, {
        details: shortened([first, ...others].map(of)),
        names: { ID: server },
      }),
    ];
  });
}

const shownLines = 5;

function shortened(lines: readonly string[]): readonly string[] {
  const more = lines.length - shownLines;
  return more <= 0 ? lines : [...lines.slice(0, shownLines), `and ${more} more: portico lock diff`];
}
