/** Returns the error that a call throws. Fails if the call succeeds. */
export async function thrownBy(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('The call was expected to fail and did not.');
}
