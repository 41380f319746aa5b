// Fields of forms. Each has a label, and says beside itself what it is for and what is wrong with it.
import { type ComponentProps, type ReactNode, useId } from 'react';

interface Described {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

interface FrameProps extends Described {
  readonly id: string;
  readonly children: ReactNode;
}

function Frame({ id, label, hint, error, children }: FrameProps) {
  return (
    <div className={error === undefined ? 'field' : 'field is-wrong'}>
      <label htmlFor={id}>{label}</label>
      {children}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}

/** Returns the attributes that connect a control with the texts around it. */
function described(id: string, { hint, error }: Described) {
  const texts = [...(error === undefined ? [] : [`${id}-error`]), ...(hint === undefined ? [] : [`${id}-hint`])];
  return {
    id,
    'aria-describedby': texts.length === 0 ? undefined : texts.join(' '),
    'aria-invalid': error === undefined ? undefined : true,
  };
}

interface TextFieldProps extends Described, Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  readonly value: string;
  onValue(value: string): void;
}

export function TextField({ label, hint, error, value, onValue, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...rest}
        {...described(id, { label, hint, error })}
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
    </Frame>
  );
}

interface TextAreaFieldProps extends Described, Omit<ComponentProps<'textarea'>, 'value' | 'onChange'> {
  readonly value: string;
  onValue(value: string): void;
}

export function TextAreaField({ label, hint, error, value, onValue, ...rest }: TextAreaFieldProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        rows={4}
        spellCheck={false}
        {...rest}
        {...described(id, { label, hint, error })}
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
    </Frame>
  );
}

interface SelectFieldProps extends Described {
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  onValue(value: string): void;
}

export function SelectField({ label, hint, error, value, options, onValue }: SelectFieldProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select
        {...described(id, { label, hint, error })}
        value={value}
        onChange={(event) => onValue(event.target.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  );
}

interface CheckFieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly isChecked: boolean;
  onChecked(isChecked: boolean): void;
}

export function CheckField({ label, hint, isChecked, onChecked }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="check-field">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChecked(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
