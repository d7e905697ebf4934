import { Skeleton } from "../parts/skeleton.tsx";

/** Before the first message, by how many models it would go to. */
export function ChatEmpty({ pending, models }: { pending: boolean; models: number }) {
  if (pending) return <Skeleton rows={3} label="Loading models" />;
  return (
    <div className="grid gap-1 py-10 text-center text-soft">
      <p className="font-medium text-ink">{invitation[Math.min(models, 2)]}</p>
      {models < 2 && <p className="text-sm">Add a second model to see both answer the same message.</p>}
    </div>
  );
}

const invitation = ["Choose or type a model first.", "Say something to the model.", "Say something to both models."];
