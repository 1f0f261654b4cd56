import { isLostRace } from './database-error.ts';

const attemptsMax = 3;

/** Retries work that PostgreSQL aborted and rolled back in favour of another transaction. */
export async function retryLostRaces<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      if (!isLostRace(error) || attempt === attemptsMax) throw error;
    }
  }
}
