import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchActivity } from './api/activity';
import { Problem } from './api/problem';
import { applyTheme, currentTheme } from './parts/theme';
import { router } from './router';

applyTheme(currentTheme());
watchActivity();

/** Retries only failures that may go away. If the vault rejected a request, it would reject it again. */
const queryClient = new QueryClient({
  defaultOptions: {
    // A paused change would be sent at a time at which nobody expects it any more.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 15_000,
      retry: (count, error) => count < 2 && !(error instanceof Problem && error.status < 500),
    },
  },
});

const root = document.querySelector('#portal');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
