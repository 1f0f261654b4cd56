export { addBackgroundJobRoute } from './background-job-routes.ts';
export { BackgroundJobs } from './background-jobs.ts';
