/** Something that works, and that a model or a person will stumble over. */
export interface Warning {
  /** Stable, lower-case with hyphens; docs/vendor-guide.md lists them. */
  readonly rule: Rule;
  /** The tool, or null when it is about an endpoint. */
  readonly tool: string | null;
  /** Where: in the catalog's structure, or a JSON Pointer into a sample's answer. */
  readonly path: string;
  /** In the catalog; null for what was seen in an answer. */
  readonly place: { readonly line: number; readonly column: number } | null;
  readonly message: string;
}

/** Every rule, with what it is about: the guide's list is held against it. */
export const rules = {
  'description-short': 'a description that says too little to choose by',
  'read-like-write': 'a read whose name or description sounds like an effect',
  'write-like-read': 'a write whose name sounds like a look-up',
  'open-arguments': 'arguments that take any name, so that a misspelt one is not noticed',
  'no-summary': 'a write without a line that a person can decide by',
  'no-risk': 'a write whose risk nobody stated',
  'no-precondition': 'a write that nothing is looked up for before it is confirmed',
  'no-verify': 'a write that nothing shows to have happened',
  'no-probe': 'an endpoint of writes that cannot be asked what became of one',
  'long-timeout': 'an endpoint that may take longer than a person waits',
  'money-without-value': 'an amount that a write moves, with no threshold on it',
  'money-without-unit': 'an amount whose unit has to be guessed',
  'value-optional': 'a value that a proposal may leave out',
  'check-argument-optional': 'a check that may lack an argument its read requires',
  'sample-failed': 'a sample that came to no answer',
  'sample-refused': 'a sample that was answered with an error',
  'empty-as-error': 'nothing found, told as an error',
  'number-as-text': 'a number in quotes',
  'epoch-time': 'a time as a count of seconds or milliseconds',
  'time-without-zone': 'a time that could be anywhere in the world',
  'time-not-iso': 'a date that is read differently in different countries',
  'amount-without-unit': 'an amount in an answer whose unit has to be guessed',
  'positional-array': 'values that are told apart by their position',
  'bare-list': 'a list with no room to say that it was cut',
  'full-page': 'a list that may have been cut, and does not say so',
  'large-answer': 'an answer over half of what is read',
  'sensitive-field': 'something that no model needs to see',
} as const;
export type Rule = keyof typeof rules;
