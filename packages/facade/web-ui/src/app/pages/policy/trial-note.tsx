// The effect that an unsaved rule would have: on everything that is listed now, and on the calls since yesterday.
import type { Answers } from '@portico/client';
import { VisibleText } from '../../components/visible-text.js';
import { plural } from '../../lib/format.js';
import { WhyLink } from '../../why/why-link.js';
import { matchLine, pastLine } from './match-line.js';

interface TrialNoteProps {
  /** Undefined while it is not known. */
  readonly preview: Answers['previewPolicy'] | undefined;
  readonly mode?: 'enforced' | 'trial';
}

const shown = 5;

const verdicts: Readonly<Record<string, string>> = {
  allow: 'let in',
  deny: 'refused',
  require_approval: 'held for approval',
  not_allowed: 'not found',
};

export function TrialNote({ preview, mode = 'enforced' }: TrialNoteProps) {
  if (preview === undefined) return null;
  const { past } = preview;
  return (
    <div className="trial-note" role="status">
      <p>{matchLine(preview, mode)}</p>
      {past === null ? null : (
        <>
          <p>{pastLine(past)}</p>
          {past.changed.items.length === 0 ? null : (
            <ul>
              {past.changed.items.slice(0, shown).map(({ id, role, profile, from, to, calls, last }) => (
                <li key={`${id} ${role} ${profile}`}>
                  {plural(calls, 'call')} of{' '}
                  <span className="mono">
                    <VisibleText text={id} />
                  </span>
                  {role === null ? null : (
                    <>
                      {' by '}
                      <VisibleText text={role} />
                    </>
                  )}
                  : {verdicts[to] ?? to} in place of {verdicts[from] ?? from}{' '}
                  <WhyLink id={last.id} of={`the last call of ${id}`} />
                </li>
              ))}
              {past.changed.total > shown ? <li>and {past.changed.total - shown} more capabilities</li> : null}
            </ul>
          )}
        </>
      )}
    </div>
  );
}
