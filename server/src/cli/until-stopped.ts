/**
 * Waits for the signal to stop, then stops. A second signal ends the process at once, for whoever cannot wait.
 */
export function untilStopped(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let isStopping = false;
    const onSignal = () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop().then(resolve, reject);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
