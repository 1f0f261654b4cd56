/**
 * Returns an abort signal that stops a job between two steps on SIGTERM or SIGINT. A second SIGTERM or SIGINT ends the
 * process immediately.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return controller.signal;
}
