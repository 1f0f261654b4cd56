import type { TestContext } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** The reason why a vault deliberately differs from the hosted service. */
    difference?: string;
  }
}

/** Marks the result of a test as a deliberate difference in the compatibility table, with the reason. */
export function differs(task: TestContext['task'], why: string): void {
  task.meta.difference = why;
}
