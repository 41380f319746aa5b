// What is asked to run, each argument by itself: a long one scrolls in its own box, so that none pushes the next out of sight.
import { argumentLines, type ShownArguments } from '@portico/contracts';
import { VisibleText } from '../../components/visible-text.js';

export function ArgumentList({ shown }: { readonly shown: ShownArguments }) {
  return (
    <section className="argument-list" aria-label="What is asked to run">
      {argumentLines(shown).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the arguments of a ticket never change
        <Argument key={at} line={line} />
      ))}
    </section>
  );
}

/** Characters that find room in a box without scrolling, on a wide screen. */
const roomy = 400;

function Argument({ line }: { readonly line: string }) {
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
