// The state of one server or one tool in the lock, on their pages.
import { type DriftView, driftSentences, heldText } from '@portico/contracts';
import { Link } from 'wouter';
import { useDrift, useLock } from '../../data/queries.js';
import { plural } from '../../lib/format.js';

/** Nothing where all is as it was accepted. */
export function ServerLockNote({ id }: { readonly id: string }) {
  const server = useLock().data?.servers.find((each) => each.id === id);
  if (server === undefined || (server.drifts === 0 && !server.wholly_held)) return null;
  const isHeld = server.held > 0 || server.wholly_held;
  return (
    <p className="note">
      {isHeld
        ? `It ${heldText(server)}. `
        : `${plural(server.drifts, 'definition')} of it differ from the lock, and nothing is held. `}
      <ReviewLink server={id} />
    </p>
  );
}

export function ReviewLink({ server }: { readonly server: string }) {
  return <Link href={`/safety/changes?${new URLSearchParams({ server })}`}>Review the changes</Link>;
}

export interface ToolLock {
  /** Whether that is known by now; an answer about the tool would be 404 otherwise. */
  readonly isKnown: boolean;
  readonly isHeld: boolean;
  /** The drift of the tool or, if its server is held, that of the server. */
  readonly drift: DriftView | undefined;
}

/** The state of a tool in the lock. Roles without administration send no request and see nothing. */
export function useToolLock(id: string, isAdmin: boolean): ToolLock {
  const server = id.split('.')[0] ?? '';
  const lock = useLock();
  const own = lock.data?.servers.find((each) => each.id === server);
  const isWanted = own !== undefined && own.drifts > 0;
  const drift = useDrift(server, isWanted, Number.POSITIVE_INFINITY); // the tool may be on any page
  if (!isAdmin || (own === undefined && !lock.isPending) || (own !== undefined && !isWanted && !own.wholly_held))
    return { isKnown: true, isHeld: false, drift: undefined };
  const drifts = drift.data?.drifts ?? [];
  const found =
    drifts.find((each) => each.id === `tool:${id}`) ?? drifts.find((each) => each.kind === 'server' && each.held);
  return {
    isKnown: own !== undefined && (!isWanted || !drift.isPending),
    isHeld: own?.wholly_held === true || found?.held === true,
    drift: found,
  };
}

/** Nothing for a tool that is as it was accepted. */
export function ToolLockNote({
  server,
  lock: { isHeld, drift },
}: {
  readonly server: string;
  readonly lock: ToolLock;
}) {
  if (!isHeld && drift === undefined) return null;
  const what = drift === undefined ? 'The lock cannot be used.' : driftSentences[drift.class];
  return (
    <p className="note">
      {isHeld ? 'Held: it is neither listed nor callable until a person accepts it. ' : 'It differs from the lock. '}
      {what} <ReviewLink server={server} />
    </p>
  );
}
