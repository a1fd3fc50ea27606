/** What the model can be asked about: the rules (each as the first, literal reading had it, or mended) and the world. */

/** The switches. The literal reading comes first; each mend is one clause of DESIGN §2. */
export interface Rules {
  /** 1. Amend of a PENDING action in doubt. */
  readonly amendInDoubt: 'allowed' | 'refused';
  /** 2. NOT_EXECUTED counts once deadline + 30 s have gone: when it is committed, or when the question was asked. */
  readonly probeBelieved: 'at-commit' | 'at-ask';
  /** 3. Which attempt's deadline gates a NOT_EXECUTED that sets the action's effect to NONE. */
  readonly probeGate: 'attempt-asked' | 'all-in-doubt';
  /** 4. When a person's "not landed" is accepted; `at-look` means that the request says when the person looked. */
  readonly personGate: 'none' | 'at-commit' | 'at-look';
  /** 5. Resolve says how many attempts the person knew of. */
  readonly resolveExpects: 'nothing' | 'attempts';
  /** 6. Where the 10 s clock starts: when the claim's reply is read, or before the claim is sent. */
  readonly clockFrom: 'reply' | 'before-claim';
  /** 7. Where the attempt's deadline is counted from. */
  readonly deadlineFrom: 'send' | 'claim';
  /** 8. When a vendor of kind A looks at the deadline: on arrival, or in the transaction of the write. */
  readonly vendorChecks: 'arrival' | 'commit';
  /** 9. Which late answers move an INDETERMINATE action; `latest-only` gets stuck, see the experiments. */
  readonly lateMoves: 'any-attempt' | 'latest-only' | 'latest-or-last-doubt';
  /** 10. No answer from this attempt, while an earlier one is already known to be APPLIED. */
  readonly noAnswerAfterApplied: 'indeterminate' | 'succeeded';
  /** 11. The same confirm (same idempotency key, no expected_attempts) delivered again after a release. */
  readonly keyRepeat: 'claims-again' | 'answered';
  /** 12. Does the claim from INDETERMINATE carry `expires_at > now()`? */
  readonly expiryGuard: 'pending-only' | 'always';
  /** 13. A release while an earlier, unanswered attempt is still in doubt. */
  readonly releaseInDoubt: 'pending' | 'indeterminate';
  /** 14. Do clients confirm without expected_attempts? */
  readonly bareConfirm: 'yes' | 'no';
  /** 15. NOT_EXECUTED is a promise: the vendor bars the attempts it denied (a tombstone under the key). */
  readonly probeFence: 'no' | 'yes';
  /** 16. A repeat (expected_attempts below what is used, or a key that has claimed): after the state, or before it. */
  readonly repeatRule: 'after-state' | 'before-state';
  /** 17. Stage: the intent row is committed before the precondition's read, or together with the action's row. */
  readonly stageIntent: 'before-read' | 'with-row';
}

export const literal: Rules = {
  amendInDoubt: 'allowed',
  probeBelieved: 'at-commit',
  probeGate: 'attempt-asked',
  personGate: 'none',
  resolveExpects: 'nothing',
  clockFrom: 'reply',
  deadlineFrom: 'send',
  vendorChecks: 'arrival',
  lateMoves: 'any-attempt',
  noAnswerAfterApplied: 'indeterminate',
  keyRepeat: 'claims-again',
  expiryGuard: 'pending-only',
  releaseInDoubt: 'pending',
  bareConfirm: 'yes',
  probeFence: 'no',
  repeatRule: 'after-state',
  stageIntent: 'before-read',
};

/** The rules of DESIGN §2. */
export const mended: Rules = {
  amendInDoubt: 'refused',
  probeBelieved: 'at-ask',
  probeGate: 'all-in-doubt',
  personGate: 'at-look',
  resolveExpects: 'attempts',
  clockFrom: 'before-claim',
  deadlineFrom: 'claim',
  vendorChecks: 'commit',
  lateMoves: 'latest-or-last-doubt',
  noAnswerAfterApplied: 'succeeded',
  keyRepeat: 'answered',
  expiryGuard: 'always',
  releaseInDoubt: 'indeterminate',
  bareConfirm: 'no',
  probeFence: 'no',
  repeatRule: 'before-state',
  stageIntent: 'with-row',
};

/** What surrounds the intent. */
export interface World {
  /** The vendor. A: dedups by key, refuses after the deadline. B: dedups, ignores deadlines. C: neither. */
  readonly kind: 'A' | 'B' | 'C';
  readonly actions: 1 | 2;
  /** Allowed per action; the last one is the design's "third". */
  readonly attempts: 1 | 2 | 3;
  /** Of the second action, where it differs. */
  readonly attemptsSecond?: 1 | 2 | 3;
  readonly approvers: 1 | 2;
  readonly probe: boolean;
  /** sees: reports whether the effect is there now. knows: speaks only if the answer can no longer change. */
  readonly person: 'no' | 'sees' | 'knows';
  readonly precondition: boolean;
  readonly reject: boolean;
  readonly amend: boolean;
  readonly restage: boolean;
  /** May a process freeze between its clock check and the send? */
  readonly freezeAfterCheck: boolean;
  /** Does the handler take time between accepting a request and committing it? */
  readonly slowHandler: boolean;
  /** May a settlement commit while its acknowledgement is lost, so that it is repeated? */
  readonly settleAckLost: boolean;
  /** May a vendor refuse with effect UNKNOWN, or with APPLIED where it has applied it before? */
  readonly refuseUnknown: boolean;
  /** May a confirm, or a resolve, be delivered a second time (lost reply, client repeats)? */
  readonly redeliver: boolean;
}

/** A small world, to vary. */
export const smallWorld: World = {
  kind: 'A',
  actions: 1,
  attempts: 2,
  approvers: 1,
  probe: true,
  person: 'sees',
  precondition: false,
  reject: false,
  amend: false,
  restage: false,
  freezeAfterCheck: false,
  slowHandler: false,
  settleAckLost: false,
  refuseUnknown: false,
  redeliver: true,
};
