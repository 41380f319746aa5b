// Ids that cannot be guessed. `crypto.randomUUID` is missing where the page came over plain HTTP from another machine.
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
