import { useMember } from '../../api/me';
import { Page } from '../../parts/page/page';
import { ErasureSection } from './erasure-section';
import { HoldSection } from './hold-section';
import { RuleSection } from './rule-section';

/** How long tokens are kept, what is kept regardless, and what was erased with a receipt. */
export function RetentionPage() {
  const member = useMember();
  return (
    <Page
      title="Retention"
      lead="How long tokens are kept, what must be kept regardless, and what was erased."
      docs="operate/retention-and-erasure"
      hasTimes
    >
      <RuleSection />
      <HoldSection />
      {member.may('token:delete') ? <ErasureSection /> : null}
    </Page>
  );
}
