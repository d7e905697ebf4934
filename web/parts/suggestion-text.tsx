/** What may have been meant, where the service has an idea. */
export function SuggestionText({ suggestions }: { suggestions: readonly string[] }) {
  if (suggestions.length === 0) return null;
  return <p className="verbatim text-sm">Did you mean {suggestions.join(", ")}?</p>;
}
