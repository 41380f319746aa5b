// The current matches of a rule, how often it was met since the start, and its last call: each number leads to what it counts.
import type { Answers } from '@portico/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../components/badge.js';
import { Moment } from '../../components/moment.js';
import { Loading } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { formatCount, plural } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';
import { WhyLink } from '../../why/why-link.js';
import { entryPath } from '../catalog/entry-link.js';
import type { PatternList } from './rules.js';

export type Rule = Answers['listPolicyRules']['rules'][number];

interface MetRuleProps {
  readonly list: PatternList;
  readonly pattern: string;
  /** Undefined if it is not known. */
  readonly rule: Rule | undefined;
  /** Whether it is known to match nothing. */
  readonly isUnmatched?: boolean;
}

export function MetRule({ list, pattern, rule, isUnmatched = false }: MetRuleProps) {
  const [isOpen, setOpen] = useState(false);
  if (isUnmatched) return <Badge tone="warn">matches nothing</Badge>;
  if (rule === undefined) return null;
  const { matches, hits } = rule;
  return (
    <div className="met-rule">
      <p className="row hint">
        {matches === null ? null : matches === 0 ? (
          <span>0 matches</span>
        ) : (
          <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {plural(matches, 'match', 'matches')}
            <span className="visually-hidden"> of {toVisible(pattern)}</span>
          </button>
        )}
        {hits === null ? null : hits === 0 ? (
          <span>0 hits</span>
        ) : (
          <Link href={hitsPath(rule)}>
            {plural(hits, 'hit')}
            <span className="visually-hidden"> of {toVisible(pattern)}</span>
          </Link>
        )}
        <LastHit rule={rule} />
      </p>
      {isOpen ? <Matches list={list} pattern={pattern} /> : null}
    </div>
  );
}

function LastHit({ rule: { last_hit: at, last_call: call } }: { readonly rule: Rule }) {
  if (at === null || call === null) return null;
  return (
    <>
      <span>
        last <Moment at={new Date(at)} />: <VisibleText text={call.capability_id} />
      </span>
      <WhyLink id={call.trace_id} of={`was ${call.capability_id} met`} />
    </>
  );
}

/** The records of the calls that it stopped, held, or would have. */
function hitsPath({ list, pattern, mode }: Rule): string {
  const rule = list === 'allow' ? 'not_allowed' : `${list}:${pattern}`;
  return `/audit?${new URLSearchParams({ [mode === 'shadow' ? 'shadow' : 'rule']: rule })}`;
}

const kinds = { tool: 'tools', resource: 'resources', prompt: 'prompts' } as const;

function Matches({ list, pattern }: Pick<MetRuleProps, 'list' | 'pattern'>) {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['policy-matches', list, pattern],
    queryFn: ({ signal }) => client.previewPolicy({ pattern, list }, { signal }),
  });
  if (data === undefined) return <Loading what="what it matches" />;
  const { items = [], total = 0 } = data.matches ?? {};
  return (
    <ul className="matches" aria-label={`What ${toVisible(pattern)} matches`}>
      {items.map(({ kind, id }) => (
        <li key={`${kind} ${id}`}>
          <Link href={entryPath(kinds[kind], id)} className="mono">
            <VisibleText text={id} />
          </Link>
        </li>
      ))}
      {total > items.length ? <li className="hint">and {formatCount(total - items.length)} more</li> : null}
    </ul>
  );
}
