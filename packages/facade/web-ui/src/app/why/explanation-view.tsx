// An explanation: its steps, what to do next, what would have made the call end otherwise, and what policy says now.
import type { Counterfactual, Explanation } from '@portico/contracts';
import { Button } from '../components/button.js';
import { useToast } from '../components/toasts.js';
import { VisibleText } from '../components/visible-text.js';
import { StepsView } from './steps-view.js';
import { WhyLink } from './why-link.js';

export function ExplanationView({ explanation }: { readonly explanation: Explanation }) {
  const { steps, next, counterfactuals, now, others } = explanation;
  return (
    <>
      <section className="stack" aria-label="Why">
        <h3>Step by step</h3>
        <StepsView steps={steps} />
      </section>
      <section className="stack" aria-label="Next step">
        <h3>Next step</h3>
        <dl className="facts">
          <dt>Operator</dt>
          <dd>
            <VisibleText text={next.operator} />
          </dd>
          <dt>Caller</dt>
          <dd>
            <VisibleText text={next.caller} />
          </dd>
        </dl>
      </section>
      {counterfactuals.length === 0 ? null : (
        <section className="stack" aria-label="Changes that would have led to another outcome">
          <h3>Changes that would have led to another outcome</h3>
          <ul className="stack">
            {counterfactuals.map((each) => (
              <li key={`${each.change} ${each.how}`}>
                <Change {...each} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {now === undefined ? null : (
        <p className="note">
          Now: <VisibleText text={now.text} />
        </p>
      )}
      {others.length === 0 ? null : (
        <section className="stack" aria-label="Other calls of the trace">
          <h3>Other calls of the trace</h3>
          <ul>
            {others.map(({ id, status, capability_id: capability = id }) => (
              <li key={id}>
                <VisibleText text={capability} />, {status} <WhyLink id={id} of={`${capability}, ${id}`} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Change({ change, effect, how }: Counterfactual) {
  const toast = useToast();
  const copy = () =>
    navigator.clipboard.writeText(how).then(
      () => toast('Copied'),
      () => toast('The browser does not let this page copy; select the text instead'),
    );
  return (
    <>
      <p>
        <VisibleText text={change} />: <VisibleText text={effect} />
      </p>
      <p className="copy-line">
        <code>
          <VisibleText text={how} />
        </code>
        <Button variant="quiet" onClick={() => void copy()}>
          Copy<span className="visually-hidden"> {how}</span>
        </Button>
      </p>
    </>
  );
}
