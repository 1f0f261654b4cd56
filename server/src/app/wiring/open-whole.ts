/**
 * Opens something with several parts. `start` puts each part on the stack as soon as it is open, and keeps the stack to
 * close them later in reverse order. If it fails halfway, the open parts are closed here and the caller gets the first
 * error.
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
