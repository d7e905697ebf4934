/** Grey bars in the place of what is on its way. */
export function Skeleton({ rows, label }: { rows: number; label: string }) {
  return (
    <div role="status" className="grid gap-2">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} aria-hidden className="h-8 animate-pulse rounded-md bg-line" />
      ))}
    </div>
  );
}
