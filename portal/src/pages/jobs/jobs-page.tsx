import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { api, fetchPortal, type Schemas, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { CopyBlock } from '../../parts/controls/copy-block';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { type Column, DataTable } from '../../parts/show/data-table';
import { formatNumber } from '../../parts/show/number';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { sayTask } from './task-words';

/** The jobs of a task that are not done. Only the portal uses this, so it is not in the API description. */
interface Task {
  readonly task: string;
  readonly is_of_tenant: boolean;
  readonly waiting: number;
  readonly running: number;
  readonly lag_seconds: number;
}

/** A worker looks at the queue every few seconds. If a job waits longer than this, no worker may be running. */
const lateSeconds = 120;

async function loadTasks(): Promise<readonly Task[]> {
  const response = await fetchPortal('/background-jobs');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The vault that serves this page sent it.
  return ((await response.json()) as { readonly data: readonly Task[] }).data;
}

/** Shows work that waits, work under way, and work that failed for good. */
export function JobsPage() {
  const { tenant } = useMember();
  const tasks = useQuery({ queryKey: ['background-jobs', tenant.id], queryFn: loadTasks });
  const failed = useQuery({
    queryKey: ['failed-jobs'],
    queryFn: () => unwrap(api.GET('/tenants/self/failed-jobs')),
  });
  return (
    <Page
      title="Background jobs"
      lead="What the workers of the vault do by themselves: mails, webhooks, and cleaning up. A job that fails is tried again for about four days."
      docs="runbooks/job-dead"
      hasTimes
    >
      <QueryView query={failed} what="failed jobs" rows={2}>
        {({ failed_jobs: given }) => (given.length === 0 ? null : <Failed tasks={given} />)}
      </QueryView>
      <QueryView query={tasks} what="background jobs">
        {(all) => (
          <>
            <Tasks title="Of this tenant" tasks={all.filter((one) => one.is_of_tenant)} />
            <Tasks title="Of the whole vault" tasks={all.filter((one) => !one.is_of_tenant)} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Failed({ tasks }: { readonly tasks: Schemas['FailedJobs']['failed_jobs'] }) {
  return (
    <Card title="Failed for good" note="The log of the workers says why.">
      <DataTable caption="Failed for good" columns={failedColumns} rows={tasks} keyOf={({ task }) => task} />
      <CardBody>
        <p>An operator removes the cause, and then runs this on a server of the vault:</p>
        <CopyBlock label="Try them again" text="strongroom jobs retry" />
      </CardBody>
    </Card>
  );
}

function Tasks({ title, tasks }: { readonly title: string; readonly tasks: readonly Task[] }) {
  return (
    <Card title={title}>
      {tasks.length === 0 ? (
        <Empty icon={CircleCheck} title="Everything is done" />
      ) : (
        <DataTable caption={title} columns={columns} rows={tasks} keyOf={({ task }) => task} />
      )}
    </Card>
  );
}

const columns: readonly Column<Task>[] = [
  {
    header: 'Task',
    isWide: true,
    cell: ({ task, lag_seconds: lag }) => (
      <span>
        <code>{task}</code> <span className="muted">{sayTask(task)}</span>{' '}
        {lag > lateSeconds ? <Tag tone="bad">late: no worker has taken it</Tag> : null}
      </span>
    ),
  },
  {
    header: 'Waiting',
    isNumber: true,
    cell: ({ waiting }) => formatNumber(waiting),
  },
  { header: 'Running', isNumber: true, cell: ({ running }) => formatNumber(running) },
];

const failedColumns: readonly Column<Schemas['FailedJobs']['failed_jobs'][number]>[] = [
  {
    header: 'Task',
    isWide: true,
    cell: ({ task }) => (
      <span>
        <code>{task}</code> <span className="muted">{sayTask(task)}</span>
      </span>
    ),
  },
  { header: 'Jobs', isNumber: true, cell: ({ jobs }) => <Tag tone="bad">{formatNumber(jobs)}</Tag> },
  { header: 'Last failed', cell: ({ last_failed_at: at }) => <Time at={at} form="exact" /> },
];
