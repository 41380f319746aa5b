import { ruleText } from '@portico/contracts';
// The effect of policy on a call, in a word with the rule that decides.
import { Link } from 'wouter';
import { Badge } from '../../components/badge.js';
import { VisibleText } from '../../components/visible-text.js';
import type { Verdict } from './shapes.js';
import { effectWords } from './verdicts.js';

interface PolicyStateProps {
  /** Undefined if it simply runs. */
  readonly verdict: Pick<Verdict, 'effect' | 'rule' | 'written_at'> | undefined;
}

export function PolicyState({ verdict }: PolicyStateProps) {
  const [word, tone] = effectWords[verdict?.effect ?? 'runs'];
  if (verdict === undefined || verdict.effect === 'runs') return <span className="muted">{word}</span>;
  const place = verdict.written_at[0];
  return (
    <span className="row">
      <Badge tone={tone}>{word}</Badge>
      {verdict.rule === null || verdict.effect === 'not_found' ? null : (
        <Link href={place === undefined ? '/policy' : `/policy?${new URLSearchParams({ at: place })}`} className="hint">
          <VisibleText text={ruleText(verdict.rule).replace(/ \(.*\)$/, '')} />
        </Link>
      )}
    </span>
  );
}
