const longestText = 2048;

/**
 * Memoizes a pure function of one text and keeps its last results: the same few endpoints are checked before every call.
 */
export function memoizeText<Result>(compute: (text: string) => Result, most = 500): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    // Texts come from requests: an absurdly long one is not worth the memory.
    if (text.length > longestText) return compute(text);
    const known = results.get(text);
    if (known !== undefined) return known;
    const [oldest] = results.size >= most ? results.keys() : [];
    if (oldest !== undefined) results.delete(oldest);
    const result = compute(text);
    results.set(text, result);
    return result;
  };
}
