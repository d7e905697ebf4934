import { QueryClient, useQuery } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import { pageConfig } from "./http.ts";

/** The services often run on this machine, so queries run even when the browser is offline. */
const networkMode = "always";

/** Retries only errors that may pass; a 404 is shown at once. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      refetchOnReconnect: true,
      retry: (count, error) => count < 2 && error instanceof ApiError && error.retryable,
      retryDelay: (count) => 400 * 2 ** count,
      staleTime: 2000,
    },
    mutations: { networkMode },
  },
});

export const usePageConfig = () => useQuery({ queryKey: ["config"], queryFn: pageConfig, staleTime: Infinity });
