import type { Books } from './books.ts';

export type Verb = keyof Books;

/** What the parent asks: one verb of the books. */
export interface Ask {
  readonly id: number;
  readonly verb: Verb;
  readonly parameters: Parameters<Books[Verb]>;
}

/** What the vendor's process says. */
export type Reply =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'fault'; readonly id: number; readonly message: string };
