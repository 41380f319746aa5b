// Says that the daemon is away and since when, above a page whose figures are no longer followed.
import { Moment } from '../components/moment.js';

export function AwayBanner({ since }: { readonly since: Date }) {
  return (
    <p className="away-banner" role="alert">
      The daemon has not answered since <Moment at={since} isShort />. The data shown is from then; the page continues
      by itself when the daemon is back.
    </p>
  );
}
