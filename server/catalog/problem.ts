import { closest, distance } from 'fastest-levenshtein';

/** One thing that is wrong with a catalog, and what would be accepted instead. */
export interface Problem {
  /** From 1; 0 when the file could not be read at all. */
  readonly line: number;
  /** From 1; 0 when the file could not be read at all. */
  readonly column: number;
  /** Where in the file's structure, like `tools.void_ticket.risk`; empty for the file itself. */
  readonly path: string;
  readonly message: string;
}

/** A catalog that cannot be used; its message lists every problem, one a line. */
export class CatalogInvalid extends Error {
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    super(`The catalog cannot be used:\n${problems.map((problem) => `  ${problemText(file, problem)}`).join('\n')}`);
    this.name = 'CatalogInvalid';
    this.problems = problems;
  }
}

/** `tether.yaml:12:5 tools.void_ticket.risk: must be …`, which editors and terminals turn into a link. */
export function problemText(file: string, { line, column, path, message }: Problem): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return path === '' ? `${place} ${message}` : `${place} ${path}: ${message}`;
}

/** The name that was probably meant: the closest, if no more than a third of it differs. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || name.length > 100) return undefined;
  const guess = closest(name, [...names]);
  return distance(name, guess) <= Math.ceil(guess.length / 3) ? guess : undefined;
}

/** ` Did you mean x?`, or nothing. */
export function didYouMean(name: string, names: readonly string[]): string {
  const guess = nearest(name, names);
  return guess === undefined ? '' : ` Did you mean ${guess}?`;
}
