const longestText = 2048;

/**
 * A function of one text that remembers its last results: the same few endpoints are looked at before every call. Only for
 * functions whose answer depends on nothing else.
 */
export function rememberLast<Result>(compute: (text: string) => Result, most = 500): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    // Texts come from requests: what nobody would call is not worth its memory.
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
