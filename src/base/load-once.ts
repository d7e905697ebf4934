/** Runs `load` on the first call and shares its result with all later ones. A failed load is retried by the next call. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | null = null;
  const begin = (): Promise<Loaded> =>
    load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
  return () => (loading ??= begin());
}
