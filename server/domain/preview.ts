import { hash } from 'node:crypto';
import { valueAt } from './json-pointer.ts';

/** The reference's summary of a tool that declares none: `void ticket — awaiting confirmation.` */
function defaultSummary(tool: string): string {
  return `${tool.replaceAll('_', ' ')} — awaiting confirmation.`;
}

/** A place in a summary template: `{ticket_id}`, or `{/customer/name}` for a JSON Pointer. */
const place = /\{([^{}]+)\}/g;

/**
 * The line a person decides by: the tool's template filled from the arguments (never from a model's prose), or the default.
 * A string stands as it is, anything else as JSON; an argument that is not there as `(none)`.
 */
export function summaryOf(tool: string, template: string | null, args: unknown): string {
  if (template === null) return defaultSummary(tool);
  return template.replaceAll(place, (_, path: string) => {
    const value = valueAt(args, path.startsWith('/') ? path : `/${path}`);
    if (value === undefined) return '(none)';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/**
 * `sha256:` and hex over the RFC 8785 form of kind, name, summary and arguments: the action binding of the Agent Approval
 * Interchange Specification 1.0 (DESIGN §2.1). `argumentsText` is RFC 8785 text already, and the keys stand in its order.
 */
export function previewDigestOf(tool: string, summary: string, argumentsText: string): string {
  const text = `{"arguments":${argumentsText},"kind":"tool.call","name":${JSON.stringify(tool)},"summary":${JSON.stringify(summary)}}`;
  return `sha256:${hash('sha256', text)}`;
}

/** Control, bidirectional, invisible and unassigned characters, and spaces that look like others or like nothing. */
const invisible =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/gu;

/** Text as a person may be shown it: what cannot be seen, or moves what can, stands as its `\u` escape. */
export function shown(text: string): string {
  return text.replaceAll(invisible, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
