/** Millions of byte arrays of one length, each kept once: chunks of memory and an open-addressing index. */
export interface StateSet {
  /** The state's number, from 0; a new one if it was not there. */
  add(state: Uint8Array): number;
  /** A view, valid until the process ends; do not write to it. */
  get(id: number): Uint8Array;
  count(): number;
}

const CHUNK = 1 << 16;

export function createStateSet(size: number): StateSet {
  const chunks: Uint8Array[] = [];
  let count = 0;
  let index = new Int32Array(1 << 16).fill(-1);

  const get = (id: number): Uint8Array => {
    const chunk = chunks[id >>> 16];
    if (chunk === undefined) throw new RangeError(`no state ${id}`);
    const from = (id & (CHUNK - 1)) * size;
    return chunk.subarray(from, from + size);
  };
  /** Where in the index the state is, or would be. */
  const slotOf = (state: Uint8Array): number => {
    const mask = index.length - 1;
    let slot = hash(state) & mask;
    for (let id = index[slot] ?? -1; id >= 0; id = index[slot] ?? -1) {
      if (same(get(id), state)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  const grow = (): void => {
    index = new Int32Array(index.length * 2).fill(-1);
    for (let id = 0; id < count; id++) index[slotOf(get(id))] = id;
  };

  return {
    get,
    count: () => count,
    add(state) {
      const slot = slotOf(state);
      const known = index[slot] ?? -1;
      if (known >= 0) return known;
      const id = count++;
      if (id >>> 16 >= chunks.length) chunks.push(new Uint8Array(CHUNK * size));
      get(id).set(state);
      index[slot] = id;
      if (count * 2 > index.length) grow();
      return id;
    },
  };
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}

/** FNV-1a with a final mix. */
function hash(state: Uint8Array): number {
  let h = 0x811c9dc5;
  for (const byte of state) {
    h ^= byte;
    h = Math.imul(h, 0x01000193);
  }
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 13;
  return h >>> 0;
}
