import { graph, number } from './panels.ts';
import { chosen, quantile, rate, type Row } from './row.ts';

const requests = 'strongroom_http_request_seconds';
const problems = 'strongroom_http_problems_total';
/** Excludes proxied calls, because their status and duration depend on the destination. */
const ownWork = 'route!~"/proxy.*"';
/** Excludes routes that may take seconds by design. */
const quickWork = 'route!~"/(proxy|logs|portal).*"';

export const requestRows: readonly Row[] = [
  {
    title: 'Now',
    panels: [
      number(
        { title: 'Alerts firing', description: 'Alerts of deploy/monitoring/rules. 0 is normal.', unit: 'none' },
        'count(ALERTS{alertname=~"Strongroom.+",alertstate="firing"}) or vector(0)',
      ),
      number(
        { title: 'Servers', description: 'Servers that respond to Prometheus.', unit: 'none' },
        'sum(up{job="strongroom-serve",instance=~"$instance"})',
      ),
      number(
        { title: 'Workers', description: 'Workers that respond to Prometheus. At least one.', unit: 'none' },
        'sum(up{job="strongroom-work",instance=~"$instance"})',
      ),
      number(
        { title: 'Requests', description: 'Requests per second, without proxied calls.', unit: 'reqps' },
        'strongroom:http_requests:rate5m',
      ),
      number(
        {
          title: 'Errors',
          description: 'Share of requests with a 5xx status. Below 1 % is normal.',
          unit: 'percentunit',
        },
        'strongroom:http_errors:ratio5m',
      ),
      number(
        {
          title: 'p99',
          description: 'One request in a hundred takes longer. Without proxied calls, the audit log and the portal.',
          unit: 's',
        },
        'strongroom:http_request_seconds:p99_5m',
      ),
    ],
  },
  {
    title: 'Requests',
    panels: [
      graph({ title: 'Requests by route', description: 'Requests per second.', unit: 'reqps' }, [
        `sum by (method, route) (${rate(`${requests}_count`)})`,
        '{{method}} {{route}}',
      ]),
      graph({ title: 'Responses by status', description: 'Responses per second.', unit: 'reqps' }, [
        `sum by (status) (${rate(`${requests}_count`)})`,
        '{{status}}',
      ]),
      graph(
        { title: 'Requests by server', description: 'How evenly the load balancer distributes them.', unit: 'reqps' },
        [`sum by (instance) (${rate(`${requests}_count`)})`, '{{instance}}'],
      ),
    ],
  },
  {
    title: 'Latency',
    panels: [
      graph(
        { title: 'Latency', description: 'Without proxied calls, the audit log and the portal.', unit: 's' },
        [quantile(0.5, requests, [], quickWork), 'p50'],
        [quantile(0.95, requests, [], quickWork), 'p95'],
        [quantile(0.99, requests, [], quickWork), 'p99'],
      ),
      graph({ title: 'p99 by route', description: 'The ten slowest routes.', unit: 's' }, [
        `topk(10, ${quantile(0.99, requests, ['method', 'route'])} >= 0)`,
        '{{method}} {{route}}',
      ]),
      graph(
        {
          title: 'Request bodies in memory',
          description: 'Bodies of requests in progress. Beyond 64 MiB per server, requests get 503.',
          unit: 'bytes',
        },
        [chosen('strongroom_request_body_bytes_held'), '{{instance}}'],
      ),
    ],
  },
  {
    title: 'Errors and denials',
    panels: [
      graph(
        {
          title: 'Share of 5xx',
          description: 'Without proxied calls. StrongroomErrors fires above 1 %.',
          unit: 'percentunit',
        },
        [
          `(sum(${rate(`${requests}_count`, ownWork, 'status=~"5.."')}) or vector(0)) / (sum(${rate(`${requests}_count`, ownWork)}) > 0)`,
          '5xx',
        ],
      ),
      graph(
        {
          title: 'Problems by code',
          description: 'Responses that describe a problem. /docs/errors explains the codes.',
          unit: 'reqps',
        },
        [`sum by (code) (${rate(problems)})`, '{{code}}'],
      ),
      graph(
        {
          title: 'Denied and missed',
          description: 'From the audit log: attempts that were denied, and things that do not exist.',
          unit: 'ops',
        },
        [`sum by (kind) (${rate('strongroom_audit_watched_total', 'kind=~"denied|missed"')})`, '{{kind}}'],
      ),
      graph(
        { title: 'Denied by application', description: 'The ten applications that are denied most.', unit: 'ops' },
        [
          `topk(10, sum by (application) (${rate('strongroom_audit_watched_total', 'kind="denied"')}))`,
          '{{application}}',
        ],
      ),
      graph(
        {
          title: 'Tokens revealed',
          description: 'Tokens whose plaintext was shown or sent out, by application.',
          unit: 'ops',
        },
        [
          `topk(10, sum by (application) (${rate('strongroom_audit_watched_total', 'kind="revealed"')}))`,
          '{{application}}',
        ],
      ),
      graph(
        { title: 'Audit alerts', description: 'Alerts that workers wrote to the audit log, per hour.', unit: 'short' },
        [`sum by (rule) (increase(${chosen('strongroom_audit_alerts_total')}[1h]))`, '{{rule}}'],
      ),
    ],
  },
  {
    title: 'Limits',
    panels: [
      graph({ title: 'Rejected with 429', description: 'Requests that exceeded a rate limit.', unit: 'reqps' }, [
        `sum by (limit) (${rate('strongroom_rate_limit_refusals_total')})`,
        '{{limit}}',
      ]),
      graph(
        {
          title: 'Clients counted',
          description: 'One client only, with much traffic: STRONGROOM_TRUSTED_PROXIES is probably missing.',
          unit: 'short',
        },
        [`sum by (limit) (${chosen('strongroom_rate_limit_clients')})`, '{{limit}}'],
      ),
      graph(
        {
          title: 'Counting together',
          description: '1: servers share their counts in Redis. 0: Redis is unavailable. Empty without Redis.',
          unit: 'none',
        },
        [chosen('strongroom_rate_limits_shared'), '{{instance}}'],
        [`max(${chosen('strongroom_rate_limits_servers')})`, 'servers'],
      ),
    ],
  },
  {
    title: 'Proxy',
    panels: [
      graph(
        {
          title: 'Calls by stage',
          description: 'The stage at which calls ended. `answered`: the destination responded.',
          unit: 'reqps',
        },
        [`sum by (stage) (${rate('strongroom_proxy_calls_total')})`, '{{stage}}'],
      ),
      graph(
        {
          title: 'Calls without a response',
          description: 'By reason: refused by policy, or failed on the way.',
          unit: 'reqps',
        },
        [
          `sum by (stage, reason) (${rate('strongroom_proxy_calls_total', 'stage!="answered"')})`,
          '{{stage}}: {{reason}}',
        ],
      ),
      graph(
        {
          title: 'Calls in progress',
          description: 'At most 100 per tenant and server, unless set otherwise.',
          unit: 'short',
        },
        [chosen('strongroom_proxy_calls_open'), '{{instance}}'],
      ),
    ],
  },
];
