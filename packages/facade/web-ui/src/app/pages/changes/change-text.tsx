// One changed field: both texts in one, word by word. Hidden characters are named, and what was left out is counted.
import type { DriftView } from '@portico/contracts';
import { type DiffRow, type WordPart, wordDiffLines } from '@portico/contracts/word-diff';
import { useMemo } from 'react';
import { VisibleText } from '../../components/visible-text.js';
import { plural } from '../../lib/format.js';

type FieldChange = DriftView['changes'][number];

export function ChangeText({ of, change }: { readonly of: string; readonly change: FieldChange }) {
  const { field, before, after, truncated } = change;
  const rows = useMemo(() => wordDiffLines(before, after), [before, after]);
  const label = `${field} of ${of}`;
  return (
    <figure className="code-view">
      <figcaption>
        <span>
          <VisibleText text={field} />
          {before === null ? <span className="muted"> (was absent)</span> : null}
          {after === null ? <span className="muted"> (is absent now)</span> : null}
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre className="words">
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ids
            <Row key={at} row={row} />
          ))}
        </pre>
      </section>
      {truncated === true ? <p className="hint">The text is longer than is shown.</p> : null}
    </figure>
  );
}

function Row({ row }: { readonly row: DiffRow }) {
  if (row.kind === 'gap') return <span className="word-gap">{`… ${plural(row.lines, 'unchanged line')}\n`}</span>;
  return (
    <>
      {row.parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words have no ids
        <Word key={at} part={part} />
      ))}
      {'\n'}
    </>
  );
}

function Word({ part: { kind, text } }: { readonly part: WordPart }) {
  if (kind === 'same') return <VisibleText text={text} />;
  const Mark = kind === 'added' ? 'ins' : 'del';
  return (
    <Mark>
      <span className="visually-hidden">{kind}: </span>
      <VisibleText text={text} />
    </Mark>
  );
}
