/** How a call to a destination that was allowed can fail. */
export type FailureReason = keyof typeof sentences;

export class DestinationFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause?: unknown) {
    super(sentences[reason], cause === undefined ? undefined : { cause });
    this.name = 'DestinationFailure';
    this.reason = reason;
  }
}

const sentences = {
  unresolved: 'The name of the destination could not be resolved.',
  unreachable: 'No connection to the destination could be made.',
  untrusted: 'The destination did not show a certificate that is valid for its name.',
  'bad-answer': 'The destination did not answer with valid HTTP.',
  'answer-too-large': 'The answer of the destination is larger than the limit.',
  'closed-early': 'The destination closed the connection before its answer was complete.',
  late: 'The destination did not answer in time.',
  abandoned: 'The client went away before the answer was complete.',
} as const;
