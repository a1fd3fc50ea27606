/** What names are made of, and what they give away. Guesses, for warnings only. */

/** `refundTotal_usd` → refund, total, usd. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

const effects = new Set([
  ...['accept', 'activate', 'add', 'adjust', 'allocate', 'approve', 'archive', 'assign', 'authorize', 'block', 'book'],
  ...['buy', 'cancel', 'capture', 'change', 'charge', 'claim', 'clear', 'close', 'confirm', 'create', 'deactivate'],
  ...[
    'debit',
    'decline',
    'delete',
    'deploy',
    'disable',
    'dismiss',
    'dispatch',
    'enable',
    'enqueue',
    'execute',
    'grant',
  ],
  ...['import', 'insert', 'invite', 'invoke', 'issue', 'lock', 'mark', 'merge', 'modify', 'move', 'notify', 'open'],
  ...['patch', 'pause', 'pay', 'post', 'publish', 'purchase', 'push', 'reassign', 'refund', 'register', 'reject'],
  ...['release', 'remind', 'remove', 'rename', 'reopen', 'replace', 'reserve', 'reset', 'restart', 'restore', 'resume'],
  ...['retry', 'revoke', 'save', 'schedule', 'send', 'set', 'ship', 'sign', 'start', 'stop', 'submit', 'subscribe'],
  ...[
    'suspend',
    'sync',
    'transfer',
    'trigger',
    'unlock',
    'unsubscribe',
    'update',
    'upload',
    'upsert',
    'void',
    'withdraw',
  ],
  ...['write'],
]);
const lookUps = new Set([
  ...['calculate', 'compare', 'count', 'describe', 'estimate', 'find', 'get', 'has', 'is', 'list', 'lookup', 'preview'],
  ...['query', 'read', 'search', 'show', 'summarise', 'summarize', 'view'],
]);
/** Words that make a noun of the word before them: `order_status` orders nothing. */
const nouns = new Set([
  ...[
    'balance',
    'count',
    'counts',
    'detail',
    'details',
    'history',
    'info',
    'list',
    'log',
    'logs',
    'options',
    'overview',
  ],
  ...['report', 'reports', 'schedule', 'stats', 'status', 'summary', 'total', 'totals'],
]);

/** The word of a tool's name that says it does something; undefined when it looks like a look-up, or like nothing. */
export function effectIn(name: string): string | undefined {
  const words = wordsOf(name);
  const [first = ''] = words;
  if (lookUps.has(first) || words.slice(1).some((word) => nouns.has(word))) return undefined;
  return [first, words.at(-1) ?? ''].find((word) => effects.has(word));
}

/** The word of a tool's name that says it only looks something up. */
export function lookUpIn(name: string): string | undefined {
  const [first = ''] = wordsOf(name);
  return lookUps.has(first) ? first : undefined;
}

/** The verb that a description begins with, when it is one that does something: `Sends …`, `Send …`. */
export function effectThatBegins(description: string): string | undefined {
  const [first = ''] = wordsOf(description);
  return [first, first.replace(/s$/, ''), first.replace(/es$/, ''), first.replace(/ies$/, 'y')].find((word) =>
    effects.has(word),
  );
}

const money = new Set([
  ...[
    'amount',
    'balance',
    'budget',
    'cost',
    'costs',
    'deposit',
    'discount',
    'fee',
    'fees',
    'payment',
    'payout',
    'price',
  ],
  ...['refund', 'salary', 'subtotal', 'sum', 'surcharge', 'tax', 'tip', 'total', 'wage'],
]);
const units = new Set([
  ...['aed', 'aud', 'brl', 'cad', 'chf', 'cny', 'czk', 'dkk', 'eur', 'gbp', 'hkd', 'huf', 'idr', 'ils', 'inr', 'jpy'],
  ...['krw', 'mxn', 'myr', 'nok', 'nzd', 'php', 'pln', 'ron', 'rub', 'sar', 'sek', 'sgd', 'thb', 'try', 'twd', 'usd'],
  ...['vnd', 'zar', 'cent', 'cents', 'minor', 'pence', 'dollars', 'euros', 'pounds', 'points', 'credits', 'percent'],
  ...['pct', 'bps', 'ratio', 'rate', 'count', 'quantity', 'qty'],
]);

/** Whether a name is an amount of money, as far as a name can tell. */
export function isMoney(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => money.has(word)) && !words.includes('id');
}

/** Whether a name says in what its number counts. */
export function namesUnit(name: string): boolean {
  return wordsOf(name).some((word) => units.has(word));
}

/** Whether a text names a currency or another unit of money. */
export function mentionsUnit(text: string): boolean {
  return /[€$£¥]/.test(text) || wordsOf(text).some((word) => units.has(word) || units.has(`${word}s`));
}

/** Whether an object has a member that says in what its amounts count. */
export function hasCurrency(names: readonly string[]): boolean {
  return names.some((name) => wordsOf(name).some((word) => word === 'currency' || word === 'unit'));
}
