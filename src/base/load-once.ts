/** What all calls share is loaded by the first. When that failed, as where no more files may be open just then, the next tries again. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | null = null;
  const begin = (): Promise<Loaded> =>
    load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
  return () => (loading ??= begin());
}
