// A link that an upstream gave: its host is shown first, and it opens without knowing where it came from.
import { toSafeLink } from '../lib/safe-link.js';
import { VisibleText } from './visible-text.js';

interface ExternalLinkProps {
  readonly url: string;
  /** The purpose of the link: `Log in`. */
  readonly label: string;
}

export function ExternalLink({ url, label }: ExternalLinkProps) {
  const link = toSafeLink(url);
  if (link === undefined) return <VisibleText text={url} />;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer">
      {label} at {link.host}
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  );
}
