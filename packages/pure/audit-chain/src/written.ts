// A value of a draft whose canonical text was made before: what stays the same over many records is written once.
import { canonicalize } from '@portico/canonical-json';

/** A value of a draft with its canonical text, for what is the same in many records. */
export class Written<T extends object> {
  readonly value: T;
  /** Canonical JSON (RFC 8785). */
  readonly text: string;

  /** @throws TypeError for a value without a canonical form */
  constructor(value: T) {
    this.value = value;
    this.text = canonicalize(value);
  }
}
