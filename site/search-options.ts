import type { Options } from "minisearch";

/** One section of a page. `id` is its address. */
export interface SearchEntry {
  readonly id: string;
  readonly page: string;
  readonly heading: string;
  readonly body: string;
  readonly start: string;
}

/** Shared by the build, which writes the index, and the browser, which reads it. */
export const searchOptions: Options<SearchEntry> = {
  fields: ["heading", "page", "body"],
  storeFields: ["page", "heading", "start"],
  searchOptions: {
    boost: { heading: 4, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND",
  },
};
