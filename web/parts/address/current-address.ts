/** The encoded path and query. The report build replaces this module, because a report keeps its address behind the #. */
export const currentAddress = (): { path: string; search: string } => ({
  path: location.pathname,
  search: location.search,
});
