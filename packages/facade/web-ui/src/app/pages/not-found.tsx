// What is shown at an address that is no page.
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
