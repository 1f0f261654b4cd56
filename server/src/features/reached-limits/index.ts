export { addReachedLimitRoute } from './reached-limit-routes.ts';
export { ReachedLimits } from './reached-limits.ts';
