// Code and JSON as text that scrolls by itself and can be copied.
import { exactJsonLines } from '@portico/contracts';
import { useState } from 'react';
import { formatCount } from '../lib/format.js';
import { cutText } from '../lib/visible.js';
import { Button } from './button.js';
import { useToast } from './toasts.js';
import { VisibleText } from './visible-text.js';

interface CodeViewProps {
  /** Names it: `Result`, `Change to the file`. */
  readonly label: string;
  readonly text: string;
}

/** A browser takes seconds to lay out some megabytes of text. */
const charactersAtFirst = 100_000;

export function CodeView({ label, text }: CodeViewProps) {
  const toast = useToast();
  const [whole, setWhole] = useState('');
  const isCut = text.length > charactersAtFirst && text !== whole;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => toast(`${label} copied`),
      () => toast('The browser does not let this page copy; select the text instead'),
    );
  return (
    <figure className="code-view">
      <figcaption>
        <span>{label}</span>
        <Button variant="quiet" onClick={() => void copy()}>
          Copy<span className="visually-hidden"> {label}</span>
        </Button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>
          <VisibleText text={isCut ? cutText(text, charactersAtFirst) : text} />
        </pre>
      </section>
      {isCut ? (
        <p className="cut row">
          The first {formatCount(charactersAtFirst)} of {formatCount(text.length)} characters. Copy copies all of them.
          <Button variant="quiet" onClick={() => setWhole(text)}>
            Show all<span className="visually-hidden"> of {label}</span>
          </Button>
        </p>
      ) : null}
    </figure>
  );
}

interface JsonViewProps {
  readonly label: string;
  readonly value: unknown;
}

export function JsonView({ label, value }: JsonViewProps) {
  return <CodeView label={label} text={exactJsonLines(value) ?? 'undefined'} />;
}
