import type { Finding, Seen } from './seen.ts';
import { wordsOf } from './words.ts';

const secretWords = new Set([
  ...[
    'password',
    'passwd',
    'passphrase',
    'secret',
    'token',
    'credential',
    'credentials',
    'cvv',
    'cvc',
    'ssn',
    'iban',
    'pin',
  ],
  ...['authorization', 'otp', 'mnemonic'],
]);
const secretPairs = [
  ...['api key', 'private key', 'access key', 'card number', 'payment profile', 'account number', 'social security'],
  ...['security code', 'date of birth', 'tax id'],
];
/** Words that make a token of something harmless: `next_page_token`. */
const harmless = new Set([
  'next',
  'page',
  'cursor',
  'continuation',
  'previous',
  'sync',
  'count',
  'counts',
  'usage',
  'limit',
  'max',
]);

/** What no model needs to see, by its name or its digits. The value itself is never repeated. */
export function sensitiveFinding({ path, name, value }: Seen): Finding | undefined {
  if (value === null || value === false || value === '') return undefined;
  if (isCardNumber(value)) {
    const message =
      'It looks like the number of a payment card, and everything that is returned may be repeated to the user: return the last four digits, or nothing.';
    return { rule: 'sensitive-field', path, message };
  }
  const words = wordsOf(name);
  const secret =
    words.find((word) => secretWords.has(word)) ?? secretPairs.find((pair) => words.join(' ').includes(pair));
  if (secret === undefined || words.some((word) => harmless.has(word))) return undefined;
  const message = `"${secret}" in a name is mostly something that no model needs, and everything that is returned may be repeated to the user: leave it out.`;
  return { rule: 'sensitive-field', path, message };
}

/** 13 to 19 digits, in groups or not, with the check digit of a card (Luhn), and not all the same. */
function isCardNumber(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const text = String(value);
  if (!/^\d(?:[ -]?\d){12,18}$/.test(text)) return false;
  const digits = text.replaceAll(/\D/g, '');
  if (/^(\d)\1*$/.test(digits) || !/^[3-6]/.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const weighted = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}
