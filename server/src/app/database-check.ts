import type { ReadinessCheck } from '../http/admin-edge.ts';
import type { Database } from '../platform/database/database.ts';
import { requireAnswer } from '../platform/database/require-answer.ts';

export function databaseCheck(database: Database): ReadinessCheck {
  return { name: 'database', check: () => requireAnswer(database) };
}
