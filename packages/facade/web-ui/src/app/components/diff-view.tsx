// Lines that stay, come and go. A sign and a word say which, colour only helps.
import type { DiffLine } from '../lib/args-diff.js';
import { VisibleText } from './visible-text.js';

const signs = { same: ' ', added: '+', removed: '-' } as const;
const words = { same: '', added: 'added: ', removed: 'removed: ' } as const;

export function DiffView({ label, lines }: { readonly label: string; readonly lines: readonly DiffLine[] }) {
  return (
    <figure className="code-view">
      <figcaption>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre className="diff">
          {lines.map(({ kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ids
            <span key={index} className={`diff-line is-${kind}`}>
              <span aria-hidden="true">{signs[kind]} </span>
              <span className="visually-hidden">{words[kind]}</span>
              <VisibleText text={text} />
              {'\n'}
            </span>
          ))}
        </pre>
      </section>
    </figure>
  );
}
