/** The names of a wire enum that mean something. */
type Named<Wire> = Exclude<keyof Wire & string, 'UNSPECIFIED'>;

/**
 * Ties the words of the domain to the values of a wire enum, in both directions: a word without a value, a value without a
 * word, and a word beside a value of another name do not compile.
 */
export type Tie<Word extends string, Wire> = [Named<Wire>] extends [Uppercase<Word>]
  ? { readonly [W in Word]: Uppercase<W> extends keyof Wire ? Wire[Uppercase<W>] : never }
  : never;
