/** Where the page is, exactly as it is encoded. A report keeps it behind the #, and has this file replaced. */
export const currentAddress = (): { path: string; search: string } => ({
  path: location.pathname,
  search: location.search,
});
