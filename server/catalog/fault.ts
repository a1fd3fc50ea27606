/** Says what is wrong at a path below the entry that is read. */
export type Fault = (path: readonly string[], message: string, at?: 'key' | 'value') => void;
