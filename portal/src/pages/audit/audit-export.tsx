import { useMutation } from '@tanstack/react-query';
import { fetchPortal } from '../../api/client';
import { saveFile } from '../../parts/save-file';
import { Failure } from '../../parts/states';
import { toLogQuery } from './audit-queries';
import type { AuditSearch } from './audit-search';

/** Downloads exactly the records that match the filters. */
export function AuditExport({ search }: { readonly search: AuditSearch }) {
  const download = useMutation({
    mutationFn: async (format: 'csv' | 'ndjson') => {
      const query = new URLSearchParams({ ...toLogQuery(search), format });
      const response = await fetchPortal(`/logs/export?${query.toString()}`);
      saveFile(await response.blob(), `audit-log.${format}`);
    },
  });
  return (
    <>
      {(['csv', 'ndjson'] as const).map((format) => (
        <button key={format} type="button" disabled={download.isPending} onClick={() => download.mutate(format)}>
          Export as {format === 'csv' ? 'CSV' : 'NDJSON'}
        </button>
      ))}
      {download.error === null ? null : <Failure error={download.error} />}
    </>
  );
}
