import type { TestContext } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a vault does on purpose what the hosted service does not. */
    difference?: string;
  }
}

/** Says in the table of compatibility that what a test shows is a deliberate difference, and why. */
export function differs(task: TestContext['task'], why: string): void {
  task.meta.difference = why;
}
