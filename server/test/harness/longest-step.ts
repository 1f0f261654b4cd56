/** Returns this thread's processor time of the longest step, in milliseconds. An error ends the steps like a result. */
export function longestStep(steps: Generator): number {
  for (let longest = 0; ; ) {
    const before = process.threadCpuUsage();
    const isDone = isAtEnd(steps);
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    if (isDone) return longest;
  }
}

function isAtEnd(steps: Generator): boolean {
  try {
    return steps.next().done === true;
  } catch {
    return true;
  }
}
