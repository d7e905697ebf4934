import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** Only failures that may pass by themselves are tried again; a 404 is shown at once. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < 2 && error instanceof ApiError && error.retryable,
      retryDelay: (count) => 400 * 2 ** count,
      staleTime: 2000,
    },
  },
});
