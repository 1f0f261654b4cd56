import { OperatorError } from '../../core/errors/operator-error.ts';
import { toError } from '../../core/errors/thrown.ts';

/** Does something with one of several databases; if it fails, the error says with which. */
export async function aboutNode<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new OperatorError(`Node ${name}: ${toError(error).message}`, { cause: error });
  }
}
