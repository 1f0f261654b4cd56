import { describeTransform } from './record-words';
import { Tag } from './tag';

/** Shows how much of the data left the vault. */
export function Seen({ transform }: { readonly transform: string | undefined }) {
  if (transform === undefined) return null;
  const { label, tone } = describeTransform(transform);
  return <Tag tone={tone}>{label}</Tag>;
}
