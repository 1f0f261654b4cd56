/** Returns the error that the work fails with. Throws if the work succeeds. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof Error)) throw new Error('It did not fail.', { cause: failure });
  return failure;
}

/** Returns everything about an error that a log could show. */
export function shownOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))} ${shownOf(error.cause)}`;
}
