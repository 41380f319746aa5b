// As whom this tab acts: the name that decisions are given under, and what the service has said of the role.
import { VisibleText } from '../components/visible-text.js';
import { useOperator } from '../data/operator.js';
import { useSession } from '../data/session.js';

const roles = { yes: 'administrator', no: 'limited role', unknown: '' } as const;

export function SignedInAs() {
  const { token, admin } = useSession();
  const { name } = useOperator();
  const facts = [token === null ? 'no token' : 'with a token', roles[admin]].filter((fact) => fact !== '').join(', ');
  return (
    <p className="hint">
      {token === null ? 'Acting' : 'Signed in'}
      {name === '' ? null : (
        <>
          {' as '}
          <VisibleText text={name} />
        </>
      )}
      {`: ${facts}`}
    </p>
  );
}
