// Lines of a ticket, each by itself: a long one scrolls in its own box, so that none pushes the next out of sight.
import { VisibleText } from '../../components/visible-text.js';

interface LineListProps {
  /** Names it: `Requested arguments`. */
  readonly label: string;
  readonly lines: readonly string[];
}

export function LineList({ label, lines }: LineListProps) {
  return (
    <section className="line-list" aria-label={label}>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity
        <Row key={at} line={line} />
      ))}
    </section>
  );
}

/** Characters that find room in a box without scrolling, on a wide screen. */
const roomy = 400;

function Row({ line }: { readonly line: string }) {
  if (line.length <= roomy)
    return (
      <pre>
        <VisibleText text={line} />
      </pre>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="is-long" tabIndex={0}>
        <VisibleText text={line} />
      </pre>
      <p>{`${line.length.toLocaleString('en')} characters: scroll to read all of it`}</p>
    </>
  );
}
