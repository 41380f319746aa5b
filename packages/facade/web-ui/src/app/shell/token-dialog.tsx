// Asks for the token that the service wants to see.
import { type FormEvent, useState } from 'react';
import { Button } from '../components/button.js';
import { TextField } from '../components/field.js';
import { Modal } from '../components/modal.js';

interface TokenDialogProps {
  /** Whether nothing is shown without one. */
  readonly isRequired: boolean;
  readonly wasRefused: boolean;
  onToken(token: string): void;
  onClose(): void;
}

export function TokenDialog({ isRequired, wasRefused, onToken, onClose }: TokenDialogProps) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = token.trim();
    setProblem(problemOf(given));
    if (problemOf(given) === undefined) onToken(given);
  };
  const refused = wasRefused ? 'The service does not know this token, or it is over. Enter another one.' : undefined;
  return (
    <Modal title="Sign in" onClose={onClose}>
      <form onSubmit={submit} noValidate className="stack">
        <p>
          {isRequired ? 'This service answers only with a token.' : 'Act with the role of another token.'} It is kept in
          this tab until it is closed or you sign out, and sent to this service alone.
        </p>
        {isRequired ? (
          <p>
            On this machine no token is needed: run <code>portico ui</code> and open the address that it prints. It
            opens the console once.
          </p>
        ) : null}
        <TextField
          label="Token"
          type="password"
          autoComplete="off"
          hint="The operator token of the state directory, one of rbac.tokens or authToken of the configuration, or a JSON Web Token of your issuer."
          error={problem ?? (token === '' ? refused : undefined)}
          value={token}
          onValue={setToken}
          autoFocus
        />
        <div className="actions">
          <Button type="submit" variant="primary">
            Sign in
          </Button>
          <Button onClick={onClose}>Not now</Button>
        </div>
      </form>
    </Modal>
  );
}

/** Refuses a token that no request can carry. */
function problemOf(token: string): string | undefined {
  if (token === '') return 'Enter a token.';
  return /^[\x21-\x7e]+$/.test(token) ? undefined : 'A token has no spaces, and no characters beyond ASCII.';
}
