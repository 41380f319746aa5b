// The fields of one step.
import { useId } from 'react';
import { Button } from '../../components/button.js';
import { CheckField, TextField } from '../../components/field.js';
import { JsonField } from '../../components/json-field.js';
import { useCapabilities } from '../../data/queries.js';
import type { Step, StepProblems } from './steps.js';

interface StepFieldsProps {
  readonly step: Step;
  /** From 0. */
  readonly place: number;
  readonly count: number;
  readonly problems: StepProblems;
  onStep(part: Partial<Step>): void;
  onMove(by: -1 | 1): void;
  onRemove(): void;
}

export function StepFields({ step, place, count, problems, onStep, onMove, onRemove }: StepFieldsProps) {
  const tools = useCapabilities().data?.capabilities ?? [];
  const listId = useId();
  const label = `step ${place + 1}`;
  return (
    <fieldset className="section">
      <legend className="visually-hidden">{label}</legend>
      <div className="section-head">
        <h2>Step {place + 1}</h2>
        <div className="actions">
          <Button variant="quiet" disabled={place === 0} onClick={() => onMove(-1)}>
            Up<span className="visually-hidden">, {label}</span>
          </Button>
          <Button variant="quiet" disabled={place === count - 1} onClick={() => onMove(1)}>
            Down<span className="visually-hidden">, {label}</span>
          </Button>
          <Button variant="quiet" disabled={count === 1} onClick={onRemove}>
            Remove<span className="visually-hidden"> {label}</span>
          </Button>
        </div>
      </div>
      <div className="columns">
        <TextField label="Id" value={step.id} maxLength={64} error={problems.id} onValue={(id) => onStep({ id })} />
        <TextField
          label="Tool"
          list={listId}
          value={step.capabilityId}
          error={problems.capabilityId}
          onValue={(capabilityId) => onStep({ capabilityId })}
        />
        <datalist id={listId}>
          {tools.map(({ id, summary }) => (
            <option key={id} value={id}>
              {summary}
            </option>
          ))}
        </datalist>
      </div>
      <JsonField
        label="Arguments"
        rows={4}
        text={step.argsText}
        error={problems.argsText}
        onText={(argsText) => onStep({ argsText })}
      />
      <CheckField
        label="Go on when it fails"
        isChecked={step.continuesOnError}
        onChecked={(continuesOnError) => onStep({ continuesOnError })}
      />
    </fieldset>
  );
}
