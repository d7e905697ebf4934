import { useQuery } from "@tanstack/react-query";
import { pageConfig } from "../http.ts";

/** What the services told the page about themselves when it was opened. */
export const usePageConfig = () => useQuery({ queryKey: ["config"], queryFn: pageConfig, staleTime: Infinity });
