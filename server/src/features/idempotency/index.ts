export { IdempotencyService } from './idempotency-service.ts';
export { IdempotencyStore } from './idempotency-store.ts';
export { sealedResponses } from './sealed-responses-sql.ts';
export { sweepIdempotencyJob } from './sweep-idempotency-job.ts';
