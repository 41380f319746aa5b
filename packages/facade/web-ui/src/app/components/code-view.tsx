// Code and JSON as text that scrolls by itself and can be copied.
import { exactJsonLines } from '@portico/contracts';
import { Button } from './button.js';
import { useToast } from './toasts.js';
import { VisibleText } from './visible-text.js';

interface CodeViewProps {
  /** Names it: `Result`, `Change to the file`. */
  readonly label: string;
  readonly text: string;
}

export function CodeView({ label, text }: CodeViewProps) {
  const toast = useToast();
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
          <VisibleText text={text} />
        </pre>
      </section>
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
