import { z } from "zod";

/**
 * Fields, and members of unions, that only files and the configuration of the command line may have. Requests over HTTP with them are
 * refused, so they are left out of the published schemas of requests.
 */
export const filesOnly = z.registry();
