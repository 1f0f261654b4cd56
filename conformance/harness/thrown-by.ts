/** What a call throws; a call that succeeds is the failure here. */
export async function thrownBy(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('The call was expected to fail and did not.');
}
