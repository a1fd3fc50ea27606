/** What looks like the inside of a program: stack traces of the usual languages, and errors of databases and networks. */
const inside: readonly RegExp[] = [
  /^\s*at .+[:(]\d+(:\d+)?\)?$/m,
  /\bat [\w$.<>]+ ?\([^)]*:\d+(:\d+)?\)/,
  /Traceback \(most recent call last\)/,
  /\bFile "[^"]+", line \d+/,
  /\bgoroutine \d+ \[/,
  /\b[\w/-]+\.go:\d+\b/,
  /\bpanic: /,
  /Exception in thread/,
  /Exception calling application/,
  /\bat [\w$.]+\([\w$]+\.(java|kt|scala):\d+\)/,
  /\.(rb|php|py|cs|rs|exs?):(line )?\d+/,
  /\/node_modules\//,
  /\bSQLSTATE\b|\bORA-\d{5}\b|syntax error at or near|duplicate key value violates/,
  /\bE(CONNREFUSED|NOTFOUND|TIMEDOUT|CONNRESET)\b/,
];

/** The first thing in a text that nobody outside should read; undefined when there is none. */
export function leakIn(text: string): string | undefined {
  for (const pattern of inside) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return found.trim().slice(0, 80);
  }
  return undefined;
}
