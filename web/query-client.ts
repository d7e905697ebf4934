import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** The services are often on this machine, where they answer without any network; where they are not, the request itself says so. */
const networkMode = "always";

/** Only failures that may pass by themselves are tried again; a 404 is shown at once. */
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
