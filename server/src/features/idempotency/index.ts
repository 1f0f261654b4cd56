export { IdempotencyService } from './idempotency-service.ts';
export { IdempotencyStore } from './idempotency-store.ts';
export { sealedAnswers } from './sealed-answers-sql.ts';
export { sweepIdempotencyJob } from './sweep-idempotency-job.ts';
