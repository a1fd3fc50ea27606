/** What the tools of these tests declare; all of them are answered by one vendor's process. */
export function catalogText(url: string): string {
  const input = (more = '') =>
    `{ type: object, required: [ticket_id], additionalProperties: false, properties: { ticket_id: { type: string }${more} } }`;
  // No breaker: each test wants its reads to be sent, however many failed before.
  const endpoint = (settings: string) =>
    `{ transport: json, url: "${url}", circuit_breaker: { failures: 0 }, ${settings} }`;
  return `
version: 1
endpoints:
  pos: ${endpoint('timeout_seconds: 30, probe: true')}
  hasty: ${endpoint('timeout_seconds: 1, probe: true')}
  mute: ${endpoint('timeout_seconds: 10')}
tools:
  get_ticket: { endpoint: pos, description: One ticket., input: ${input()} }
  peek_ticket: { endpoint: hasty, description: One ticket at once., input: ${input()} }
  void_ticket:
    endpoint: pos
    is_write: true
    description: Void an open ticket.
    input: ${input(', reason: { type: string }')}
    precondition:
      read: get_ticket
      arguments: { ticket_id: /ticket_id }
      fields: [/status, /total_usd]
      expect: result.status == "open"
    verify:
      read: get_ticket
      arguments: { ticket_id: /ticket_id }
      expect: result.status == "void"
  close_ticket: { endpoint: hasty, is_write: true, description: Close a ticket., input: ${input()} }
  archive_ticket: { endpoint: mute, is_write: true, description: Put a ticket away., input: ${input()} }
  comment: { endpoint: pos, is_write: true, description: Write on a ticket., input: ${input(', text: { type: string }')} }
  refund:
    endpoint: pos
    is_write: true
    description: Give money back.
    input: ${input(', amount_usd: { type: number }')}
    value: { pointer: /amount_usd, threshold: 50, unit: USD }
`;
}
