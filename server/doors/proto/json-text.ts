import { invalidRequest } from '../invalid-request.ts';

/** JSON text as it was sent, or null for an empty one; throws INVALID_REQUEST for what is no JSON. */
export function jsonTextFromWire(text: string, field: string): string | null {
  if (text === '') return null;
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it does not parse';
    throw invalidRequest({ message: `${field} must be JSON text: ${why}.`, field });
  }
}
