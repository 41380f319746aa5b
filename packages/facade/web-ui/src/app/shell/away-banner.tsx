// Says that the daemon is away and since when, above a page whose figures are no longer followed.
import { Moment } from '../components/moment.js';

export function AwayBanner({ since }: { readonly since: Date }) {
  return (
    <p className="away-banner" role="alert">
      The daemon does not answer since <Moment at={since} />. The data shown is from then; the page continues by itself
      when the daemon is back.
    </p>
  );
}
