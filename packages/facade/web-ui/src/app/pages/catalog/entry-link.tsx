// A link to an entry of the catalog.
import { Link } from 'wouter';
import { VisibleText } from '../../components/visible-text.js';
import { toVisible } from '../../lib/visible.js';

interface EntryLinkProps {
  readonly kind: 'tools' | 'resources' | 'prompts';
  readonly id: string;
}

export function EntryLink({ kind, id }: EntryLinkProps) {
  return (
    <Link href={entryPath(kind, id)} className="mono" data-key="Enter" title={toVisible(id)}>
      <VisibleText text={id} />
    </Link>
  );
}

export function entryPath(kind: EntryLinkProps['kind'], id: string): string {
  return `/catalog?${new URLSearchParams({ kind, id })}`;
}
