const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Of a duration like 90s, 15m, 24h or 7d. */
export function secondsOf(duration: string): number {
  return Number(duration.slice(0, -1)) * (secondsIn[duration.slice(-1)] ?? Number.NaN);
}
