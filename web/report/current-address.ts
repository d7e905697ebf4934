/** Where the report is: its address stands behind the #, so that it works from a file. */
export function currentAddress(): { path: string; search: string } {
  const [path = "", ...search] = location.hash.slice(1).split("?");
  return { path: path === "" ? "/" : path, search: search.length === 0 ? "" : `?${search.join("?")}` };
}
