/** Vectors of texts, as many as it may hold: the one not used for longest makes room. */
export interface VectorCache {
  get(text: string): readonly number[] | undefined;
  set(text: string, vector: readonly number[]): void;
}

export function createVectorCache(most: number): VectorCache {
  const vectors = new Map<string, readonly number[]>();
  const put = (text: string, vector: readonly number[]): void => {
    vectors.delete(text);
    vectors.set(text, vector);
  };
  return {
    get(text) {
      const vector = vectors.get(text);
      if (vector) put(text, vector);
      return vector;
    },
    set(text, vector) {
      put(text, vector);
      const oldest = vectors.keys().next();
      if (vectors.size > most && !oldest.done) vectors.delete(oldest.value);
    },
  };
}
