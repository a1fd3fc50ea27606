/** An id that nobody guesses and nobody else has: 128 random bits as 32 hex digits. Works on plain-http pages too. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
