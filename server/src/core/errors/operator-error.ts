/** Something in the operator's environment is wrong. The message says what to do and never quotes a value, so it may be logged. */
export class OperatorError extends Error {}
