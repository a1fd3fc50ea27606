/** The name of an enum's value, as the contract spells it. */
export function nameOf(values: Readonly<Record<string, number>>, value: number | undefined): string {
  const [name] = Object.entries(values).find(([, each]) => each === value) ?? [];
  if (name === undefined) throw new RangeError(`no such value: ${value}`);
  return name;
}
