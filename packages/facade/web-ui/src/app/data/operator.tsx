// The name under which a person decides. It is asked for once and kept in this browser.
import { createContext, type FormEvent, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import { Button } from '../components/button.js';
import { TextField } from '../components/field.js';
import { Modal } from '../components/modal.js';

interface Operator {
  /** Empty until a name is given. */
  readonly name: string;
  setName(name: string): void;
  /** The name; asks for it where there is none. Undefined if the person does not give one. */
  ask(): Promise<string | undefined>;
}

const OperatorContext = createContext<Operator | undefined>(undefined);
const key = 'portico.operator';

export function OperatorProvider({ children }: { readonly children: ReactNode }) {
  const [name, setKept] = useState(() => localStorage.getItem(key) ?? '');
  const [isAsking, setAsking] = useState(false);
  const answer = useRef<(name: string | undefined) => void>(() => {});
  const operator = useMemo<Operator>(() => {
    const setName = (next: string) => {
      localStorage.setItem(key, next);
      setKept(next);
    };
    const ask = () =>
      new Promise<string | undefined>((resolve) => {
        answer.current = resolve;
        setAsking(true);
      });
    return { name, setName, ask: () => (name === '' ? ask() : Promise.resolve(name)) };
  }, [name]);
  const end = (given: string | undefined) => {
    if (given !== undefined) operator.setName(given);
    setAsking(false);
    answer.current(given);
  };
  return (
    <OperatorContext value={operator}>
      {children}
      {isAsking ? <NameDialog onEnd={end} /> : null}
    </OperatorContext>
  );
}

export function useOperator(): Operator {
  const operator = useContext(OperatorContext);
  if (operator === undefined) throw new Error('useOperator() needs an OperatorContext around the component');
  return operator;
}

function NameDialog({ onEnd }: { onEnd(name: string | undefined): void }) {
  const [name, setName] = useState('');
  const [wasTried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() !== '') onEnd(name.trim());
  };
  return (
    <Modal title="Who decides?" onClose={() => onEnd(undefined)}>
      <form className="stack" onSubmit={submit} noValidate>
        <TextField
          label="Your name"
          hint="Kept in this browser. It is written to the ticket and to the audit log."
          value={name}
          error={wasTried && name.trim() === '' ? 'Enter a name.' : undefined}
          onValue={setName}
        />
        <div className="actions">
          <Button type="submit" variant="primary">
            Continue
          </Button>
          <Button onClick={() => onEnd(undefined)}>Cancel</Button>
        </div>
      </form>
    </Modal>
  );
}
