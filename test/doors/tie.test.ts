import { expect, test } from 'vitest';
import type { Tie } from '../../server/wire/tie.ts';

/** The compiler is what is tested: each line that must not compile says so. */
test('a domain enum and a wire enum that differ do not compile', () => {
  type Wire = { readonly UNSPECIFIED: 0; readonly OPEN: 1; readonly SHUT: 2 };
  const whole: Tie<'open' | 'shut', Wire> = { open: 1, shut: 2 };
  // @ts-expect-error a word without its value
  const short: Tie<'open' | 'shut', Wire> = { open: 1 };
  // @ts-expect-error a word beside the value of another
  const crossed: Tie<'open' | 'shut', Wire> = { open: 2, shut: 1 };
  // @ts-expect-error a value on the wire for which the domain has no word
  const wireOnly: Tie<'open', Wire> = { open: 1 };
  // @ts-expect-error a word of the domain that the wire cannot say
  const domainOnly: Tie<'open' | 'shut' | 'ajar', Wire> = { open: 1, shut: 2, ajar: 3 };
  expect([whole, short, crossed, wireOnly, domainOnly]).toHaveLength(5);
});
