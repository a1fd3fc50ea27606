/** A catalog whose tools declare everything that a tool can, for tests of the whole life. */
export const wholeLifeTools = `
tools:
  get_ticket:
    endpoint: endpoint
    description: One ticket by its id.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string } }, additionalProperties: false }
  void_ticket:
    endpoint: endpoint
    is_write: true
    description: Void an open ticket.
    input:
      type: object
      required: [ticket_id]
      properties: { ticket_id: { type: string }, reason: { type: string } }
      additionalProperties: false
    precondition:
      read: get_ticket
      arguments: { ticket_id: /ticket_id }
      fields: [/status, /total_usd]
      expect: 'result.status == "open"'
    verify:
      read: get_ticket
      arguments: { ticket_id: /ticket_id }
      expect: 'result.status == "void"'
  refund:
    endpoint: endpoint
    is_write: true
    description: Give money back.
    input:
      type: object
      required: [ticket_id]
      properties: { ticket_id: { type: string }, amount_usd: {}, note: { type: string } }
      additionalProperties: false
    value: { pointer: /amount_usd, threshold: 50, unit: USD }
    intent: { fields: [/ticket_id], window: 24h }
    four_eyes: true
  note:
    endpoint: endpoint
    is_write: true
    description: Write a note.
    input: { type: object, required: [text], properties: { text: { type: string } }, additionalProperties: false }
`;
