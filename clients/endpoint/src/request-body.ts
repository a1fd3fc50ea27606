/** The bytes of a request as they came. */
export type RequestBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' }
  /** Something in front has read them, and what it made of them is not what was signed. */
  | { readonly kind: 'parsed-away' };
