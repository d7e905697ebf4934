import { Skeleton } from "../parts/skeleton.tsx";

export function ChatEmpty({ pending, hasModel }: { pending: boolean; hasModel: boolean }) {
  if (pending) return <Skeleton rows={3} label="Loading models" />;
  return (
    <div className="grid gap-1 py-10 text-center text-soft">
      <p className="font-medium text-ink">
        {hasModel ? "Say something to the model." : "Choose or type a model first."}
      </p>
      <p className="text-sm">Add a second model to see both answer the same message.</p>
    </div>
  );
}
