// Finds the code in the address of the console. Only computations.

/** The code of a link that `portico ui` printed; undefined for any other. */
export function codeOf(hash: string): string | undefined {
  return /^#code=([\w-]{1,256})$/.exec(hash)?.[1];
}
