/** A statement at its placeholders: one text more than there are values, which come in the order of their places. */
export function atPlaceholders<Value>(
  sql: string,
  params: readonly Value[],
): { readonly texts: readonly string[]; readonly values: readonly Value[] } {
  const parts = sql.split(/\$(\d+)/);
  const values = parts.filter((_, at) => at % 2 === 1).map((number) => params[Number(number) - 1]);
  if (values.some((value) => value === undefined)) throw new RangeError('a placeholder has no value');
  return { texts: parts.filter((_, at) => at % 2 === 0), values: values as Value[] };
}
