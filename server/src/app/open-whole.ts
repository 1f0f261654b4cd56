/**
 * Opens something that is made of several things. `start` puts each of them on the stack as soon as it is open, and keeps
 * the stack to close them later, in reverse. If it fails halfway, what was open is closed here, and the caller learns of
 * the failure that came first.
 */
export async function openWhole<T>(start: (opened: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    return await start(opened);
  } catch (error) {
    await opened.disposeAsync().catch(() => undefined);
    throw error;
  }
}
