import { Bell, CreditCard, Eye, KeyRound, ShieldCheck } from 'lucide-react';
import { Icon } from '../../parts/icon';
import { Logo } from '../../parts/logo';
import { Card, CardBody } from '../../parts/page/card';
import { Glyph } from '../../parts/show/glyph';
import { Sight, type SightKind } from '../../parts/show/sight';
import { Tag } from '../../parts/show/tag';

const colours = [
  'ground',
  'surface',
  'raised',
  'sunken',
  'hover',
  'line',
  'line-firm',
  'line-strong',
  'text',
  'text-soft',
  'muted',
  'accent',
  'accent-strong',
  'accent-ground',
  'accent-line',
  'accent-fill',
  'plain',
  'plain-ground',
  'plain-line',
  'plain-fill',
  'plain-button',
  'bad',
  'bad-ground',
  'bad-line',
  'bad-fill',
  'bad-button',
  'quiet-fill',
  'ring',
] as const;

const sizes = ['3xl', '2xl', 'xl', 'l', 'm', 's', 'xs'] as const;
const sights: readonly SightKind[] = ['none', 'masked', 'plaintext', 'denied'];

/** Shows what all parts are made of: colours, type, the marks, icons and the logo. */
export function KitFoundations() {
  return (
    <>
      <Card
        title="Colours"
        note="Amber is plaintext, red is refused or destroyed, verdigris can be acted on or is proven."
      >
        <CardBody>
          <ul className="swatches">
            {colours.map((name) => (
              <li key={name}>
                <svg className={`swatch swatch-${name}`} aria-hidden="true" />
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </CardBody>
      </Card>
      <div className="columns">
        <Card title="Type">
          <CardBody>
            {sizes.map((size) => (
              <p key={size} className={`type-${size}`}>
                Checkout sent a card, •••• 5512 <code>{size}</code>
              </p>
            ))}
          </CardBody>
        </Card>
        <Card title="Marks, tags, icons" note="Shape, then word, then colour.">
          <CardBody>
            <p className="line">
              {sights.map((kind) => (
                <Sight key={kind} of={kind} />
              ))}
            </p>
            <p className="line">
              <Tag>Neutral</Tag>
              <Tag tone="good" icon={ShieldCheck}>
                Proven
              </Tag>
              <Tag tone="plain" icon={Eye}>
                Shows more
              </Tag>
              <Tag tone="bad">Expired</Tag>
            </p>
            <p className="line">
              <Glyph of={CreditCard} />
              <Glyph of={ShieldCheck} tone="good" />
              <Glyph of={Eye} tone="plain" />
              <Glyph of={Bell} tone="bad" />
              <Glyph of={KeyRound} isLarge />
              <Icon of={KeyRound} />
              <Icon of={KeyRound} isSmall />
              <Logo />
            </p>
          </CardBody>
        </Card>
      </div>
    </>
  );
}
