/** The reasons for which a call to an allowed destination can fail. */
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
  unresolved: 'The host name of the destination could not be resolved.',
  unreachable: 'Could not connect to the destination.',
  untrusted: 'The destination did not present a valid certificate for its name.',
  'bad-answer': 'The destination did not respond with valid HTTP.',
  'answer-too-large': 'The response from the destination exceeds the size limit.',
  'closed-early': 'The destination closed the connection before its response was complete.',
  'not-transformable': 'The response from the destination does not fit the transforms of the proxy.',
  late: 'The destination did not respond in time.',
  abandoned: 'The client disconnected before the response was complete.',
} as const;
