import { Braces, BriefcaseBusiness, CreditCard, Hash, IdCard, Landmark } from 'lucide-react';
import type { Shape } from '../icon';
import { Glyph } from './glyph';

interface Kind {
  readonly name: string;
  readonly icon: Shape;
}

const kinds: Readonly<Record<string, Kind>> = {
  card: { name: 'Card', icon: CreditCard },
  card_number: { name: 'Card number', icon: CreditCard },
  bank: { name: 'Bank account', icon: Landmark },
  us_bank_account_number: { name: 'US account number', icon: Landmark },
  us_bank_routing_number: { name: 'US routing number', icon: Hash },
  social_security_number: { name: 'Social security number', icon: IdCard },
  employer_id_number: { name: 'Employer id', icon: BriefcaseBusiness },
  token: { name: 'Generic', icon: Braces },
};

/** Returns the name and icon of a type of token. A type that is new to the portal keeps its own name. */
export function kindOf(type: string): Kind {
  return kinds[type] ?? { name: type.replaceAll('_', ' '), icon: Braces };
}

export function TokenGlyph({ type }: { readonly type: string }) {
  return <Glyph of={kindOf(type).icon} />;
}
