import type { ErrorCode } from '../../../core/errors/domain-error.ts';

/** Errors in creating tokens that are not caused by the request's format. */
export const writeProblems: readonly ErrorCode[] = [
  'not-found',
  'token-id-taken',
  'too-many-container-sets',
  'version-conflict',
  'legal-hold',
];
