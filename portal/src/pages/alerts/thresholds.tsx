import { useMember } from '../../api/me';
import { Card, CardBody } from '../../parts/page/card';
import { countOf } from '../../parts/show/number';

/** Shows when an alert is raised, and which setting changes that. */
export function Thresholds() {
  const { window_minutes: minutes, misses, reveals, addresses } = useMember().alert_thresholds;
  const within = `within ${countOf(minutes, 'minute')}`;
  const thresholds = [
    {
      setting: 'STRONGROOM_ALERT_MISSES',
      value: misses,
      words: `A key or member asks for ${countOf(misses, 'thing')} that ${misses === 1 ? 'does' : 'do'} not exist ${within}.`,
    },
    {
      setting: 'STRONGROOM_ALERT_REVEALS',
      value: reveals,
      words: `A key or member sees or sends the plaintext of ${countOf(reveals, 'token')} ${within}.`,
    },
    {
      setting: 'STRONGROOM_ALERT_ADDRESSES',
      value: addresses,
      words: `A key with up to ${countOf(addresses, 'known address', 'known addresses')} is used from a new one.`,
    },
  ];
  return (
    <Card title="When an alert is raised" note="By the settings of this server, which the workers should share">
      <CardBody>
        <dl className="facts stacked">
          {thresholds.map(({ setting, value, words }) => (
            <div key={setting} className="fact">
              <dt>
                <code>{setting}</code>
              </dt>
              <dd>{value === 0 ? 'Off.' : words}</dd>
            </div>
          ))}
          <div className="fact">
            <dt>
              <code>STRONGROOM_ALERT_WINDOW_MINUTES</code>
            </dt>
            <dd>{countOf(minutes, 'minute')} count together.</dd>
          </div>
        </dl>
      </CardBody>
    </Card>
  );
}
