/**
 * Starts something, runs it until the stop signal, then stops it. A signal during startup takes effect when startup is
 * complete, because a partial start would leave processes and folders behind. A second signal ends the process
 * immediately.
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
  const running = await start().catch((error: unknown) => {
    // A signal must end a process that has failed to start, even if something keeps it alive.
    process.removeAllListeners('SIGTERM');
    process.removeAllListeners('SIGINT');
    throw error;
  });
  if (!isStopping) announce(running);
  await stopping;
  await running.stop();
}
