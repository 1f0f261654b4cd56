import { useMutation } from '@tanstack/react-query';
import { ChevronDown, Download } from 'lucide-react';
import { fetchPortal } from '../../api/client';
import { Menu } from '../../parts/controls/menu';
import { Icon } from '../../parts/icon';
import { useToast } from '../../parts/overlay/toast';
import { Failure } from '../../parts/page/states';
import { saveFile } from '../../parts/save-file';
import { toLogQuery } from './audit-queries';
import type { AuditSearch } from './audit-search';

const formats = [
  { name: 'csv', label: 'As CSV' },
  { name: 'ndjson', label: 'As NDJSON' },
] as const;

/** Downloads exactly the records that match the filters. */
export function AuditExport({ search }: { readonly search: AuditSearch }) {
  const toast = useToast();
  const download = useMutation({
    mutationFn: async (format: 'csv' | 'ndjson') => {
      const query = new URLSearchParams({ ...toLogQuery(search), format });
      const response = await fetchPortal(`/logs/export?${query.toString()}`);
      saveFile(await response.blob(), `audit-log.${format}`);
    },
    onSuccess: (_, format) => toast({ text: `Saved as audit-log.${format}` }),
  });
  return (
    <>
      <Menu
        label="Formats"
        trigger={(attributes) => (
          <button {...attributes} className="button" disabled={download.isPending}>
            <Icon of={Download} />
            {download.isPending ? 'Exporting …' : 'Export this slice'}
            <Icon of={ChevronDown} isSmall />
          </button>
        )}
      >
        {formats.map(({ name, label }) => (
          <button key={name} type="button" className="item" onClick={() => download.mutate(name)}>
            {label}
          </button>
        ))}
      </Menu>
      {download.error === null ? null : <Failure error={download.error} />}
    </>
  );
}
