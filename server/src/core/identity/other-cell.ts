import { DomainError } from '../errors/domain-error.ts';

/**
 * Returns the error for a key of another cell than the one that it was sent to: it names that cell, or its tenant has
 * moved there.
 */
export function otherCell(cell: string): DomainError {
  return new DomainError('other-cell', `The key belongs to the cell ${cell}. Send the request there.`, { cell });
}
