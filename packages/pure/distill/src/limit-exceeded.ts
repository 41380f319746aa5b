// Raised where a result or a query turns out to be more work than one call may cost; becomes an issue at the package's edge.
// Never leaves the package.

/** The message continues a sentence that starts with the field at fault. */
export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}
