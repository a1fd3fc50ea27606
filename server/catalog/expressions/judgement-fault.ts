/** What a fault of the evaluator means for whoever reads it, and what to do; its own words when they are good enough. */
export function faultMessage(message: string): string {
  const [, field] = /^field not found: (.*)$/s.exec(message) ?? [];
  if (field !== undefined) {
    return `there is no ${JSON.stringify(field)} where the expression reads it; has(…) asks first whether it is there`;
  }
  if (/^index .* out of bounds/.test(message)) {
    return 'the list is shorter than the expression expects; size(…) asks first how long it is';
  }
  const [, overload] = /^found no matching overload for (.*)$/s.exec(message) ?? [];
  if (overload !== undefined) {
    const numbers = /double, int|int, double/.test(overload)
      ? '; JSON numbers are doubles: write 1.0 instead of 1'
      : '';
    return `${overload.replace(' applied to ', ' cannot be applied to ').replaceAll("'", '')}${numbers}`;
  }
  const [, actual] = /^type mismatch: expected bool, got (.*)$/s.exec(message) ?? [];
  if (actual !== undefined) return `a ${actual} stands where true or false is needed`;
  return message;
}
