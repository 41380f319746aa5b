// The steps of a call as a waterfall: a word for each verdict, what it was because of, and when in the call it took place.
import type { ExplainedStep, StepVerdict } from '@portico/contracts';
import { Badge, type Tone } from '../components/badge.js';
import { VisibleText } from '../components/visible-text.js';
import { formatDuration } from '../lib/format.js';
import { toBars } from './waterfall.js';

const verdicts: Readonly<Record<StepVerdict, readonly [word: string, tone: Tone]>> = {
  passed: ['ok', 'good'],
  not_needed: ['not needed', 'neutral'],
  stopped: ['stopped', 'bad'],
  waits: ['waits', 'warn'],
  asked: ['asked', 'warn'],
  replayed: ['replayed', 'info'],
  unknown: ['unknown', 'neutral'],
  not_reached: ['not reached', 'neutral'],
};

export function StepsView({ steps }: { readonly steps: readonly ExplainedStep[] }) {
  const reached = steps.filter(({ verdict }) => verdict !== 'not_reached');
  const missed = steps.filter(({ verdict }) => verdict === 'not_reached');
  const bars = toBars(reached);
  const ids = [...new Set(steps.flatMap(({ evidence }) => evidence))];
  return (
    <>
      <ol className="waterfall">
        {reached.map(({ step, verdict, because, evidence, took_us: took }, at) => (
          <li key={step} className={`waterfall-step is-${verdict}`}>
            <span className="waterfall-name">{step.replaceAll('_', ' ')}</span>
            <Badge tone={verdicts[verdict][1]}>{verdicts[verdict][0]}</Badge>
            <span className="waterfall-because">
              <VisibleText text={because} />
              {evidence.length === 0 || ids.length === 1 ? null : (
                <span className="muted mono"> {evidence.join(', ')}</span>
              )}
            </span>
            <span className="waterfall-time">{took === undefined ? '' : formatDuration(took / 1000)}</span>
            <Bar bar={bars[at]} />
          </li>
        ))}
      </ol>
      {ids.length === 1 ? (
        <p className="hint">
          Evidence of each step: <span className="mono">{ids[0]}</span>
        </p>
      ) : null}
      {missed.length === 0 ? null : (
        <p className="hint">Not reached: {missed.map(({ step }) => step.replaceAll('_', ' ')).join(', ')}</p>
      )}
    </>
  );
}

function Bar({ bar }: { readonly bar: ReturnType<typeof toBars>[number] | undefined }) {
  if (bar === undefined) return null;
  return (
    <svg className="waterfall-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect x={bar.start} y="0" width={bar.width} height="4" />
    </svg>
  );
}
