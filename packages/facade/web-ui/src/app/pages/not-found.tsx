// The page for an unknown address.
import { Link } from 'wouter';
import { Page } from '../components/page.js';

export function NotFoundPage() {
  return (
    <Page title="No such page">
      <p>
        There is nothing at this address. <Link href="/">Go to the overview</Link>
      </p>
    </Page>
  );
}

/** Shown in place of a page that takes an administrator. */
export function NotForRolePage() {
  return (
    <Page title="Not for this role">
      <p>
        This page takes an admin role. Sign in with another token, or <Link href="/">go to the overview</Link>.
      </p>
    </Page>
  );
}
