/**
 * The same as `make`, which is a function of a value that does not change; what it made is kept for as long as anybody holds the
 * value, and is shared by all who ask for it, so that nobody may change it either.
 */
export function onceFor<K extends object, V>(make: (value: K) => V): (value: K) => V {
  const made = new WeakMap<K, V>();
  return (value) => {
    const known = made.get(value);
    if (known !== undefined) return known;
    const fresh = make(value);
    made.set(value, fresh);
    return fresh;
  };
}
