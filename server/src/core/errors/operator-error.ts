/** Something in the house of the operator is not as it has to be. The message says what to do, and never quotes a value: it may be logged. */
export class OperatorError extends Error {}
