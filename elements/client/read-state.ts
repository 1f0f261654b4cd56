import type { ElementState, FieldError, FieldProblem, ProblemReason } from '../protocol/element-state.ts';
import { isRecord } from '../protocol/parse.ts';

/** Parses a state that a frame reported. */
export function readState(value: unknown): ElementState {
  if (!isRecord(value)) return { empty: true, complete: false };
  const flag = (name: string) => (typeof value[name] === 'boolean' ? { [name]: value[name] } : {});
  const text = (name: string) => (typeof value[name] === 'string' ? { [name]: value[name] } : {});
  return {
    empty: value['empty'] === true,
    complete: value['complete'] === true,
    ...flag('valid'),
    ...flag('maskSatisfied'),
    ...(Array.isArray(value['errors']) ? { errors: value['errors'].flatMap(readError) } : {}),
    ...text('cardBrand'),
    ...text('cardBin'),
    ...text('cardLast4'),
  };
}

const reasons: readonly ProblemReason[] = ['empty', 'incomplete', 'checksum', 'expired', 'brand', 'invalid'];

/** Parses the problems that a frame reported. */
export function readProblems(value: unknown): readonly FieldProblem[] {
  return Array.isArray(value) ? value.flatMap(readProblem) : [];
}

function readProblem(value: unknown): FieldProblem[] {
  if (!isRecord(value)) return [];
  const { targetId, message } = value;
  const reason = reasons.find((name) => name === value['reason']);
  if (reason === undefined || typeof targetId !== 'string' || typeof message !== 'string') return [];
  return [{ targetId, reason, message }];
}

function readError(value: unknown): FieldError[] {
  if (!isRecord(value)) return [];
  const { targetId, type } = value;
  return typeof targetId === 'string' && (type === 'incomplete' || type === 'invalid') ? [{ targetId, type }] : [];
}
