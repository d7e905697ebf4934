import { usePathname } from "wouter/use-browser-location";

/** The parts of the path exactly as they are encoded in the address. */
export const usePathSegments = (): string[] => usePathname().split("/").slice(1);
