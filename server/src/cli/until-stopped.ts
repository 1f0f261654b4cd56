/**
 * Starts something, keeps it until the signal to stop, then stops it. A signal that comes while it is starting waits for
 * the end of the start: what is half started would leave processes and folders behind. A second signal ends the process
 * at once, for whoever cannot wait.
 */
export async function runUntilStopped<T extends { stop(): Promise<void> }>(
  start: () => Promise<T>,
  announce: (running: T) => void,
): Promise<void> {
  let isStopping = false;
  const stopping = new Promise<void>((resolve) => {
    const onSignal = () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
  const running = await start();
  if (!isStopping) announce(running);
  await stopping;
  await running.stop();
}
