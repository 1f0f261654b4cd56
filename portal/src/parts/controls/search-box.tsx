import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Icon } from '../icon';

/** Shows the search of a page. The key `/` focuses it. */
export function SearchBox(box: ComponentProps<'input'> & { readonly label: string }) {
  const { label, ...rest } = box;
  return (
    <div className="search-box">
      <Icon of={Search} />
      <input
        autoComplete="off"
        spellCheck={false}
        maxLength={1_000}
        {...rest}
        type="search"
        aria-label={label}
        data-search
      />
    </div>
  );
}
