import { useMutation, useQueryClient } from "@tanstack/react-query";
import { findScenario, keepScenario, type Kept, type Stored } from "../library-api.ts";
import { fromDraft, type ScenarioDraft } from "./scenario-draft.ts";

interface SaveOptions {
  readonly draft: ScenarioDraft;
  /** The id under which it is stored already. */
  readonly storedId: string | null;
  /** The version it was written upon. */
  readonly origin: string | null;
  readonly onSaved: (kept: Kept | undefined) => void;
  /** Called before anybody is asked. */
  readonly onTaken: () => void;
}

interface Saved {
  readonly kind: "kept";
  readonly kept: Kept | undefined;
}

/** Why a scenario was not saved at once: another has its id, or it is not what it was when it was opened. */
export type SaveObstacle = { readonly kind: "taken" } | { readonly kind: "elsewhere"; readonly theirs: Stored };

/** Saves a scenario. What would put another one aside is told of first, and done when it is wanted `anyway`. */
export function useSaveScenario({ draft, storedId, origin, onSaved, onTaken }: SaveOptions) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ anyway }: { anyway: boolean }): Promise<SaveObstacle | Saved> => {
      const obstacle = anyway ? null : await findObstacle({ draft, storedId, origin });
      return obstacle ?? { kind: "kept", kept: await keepScenario(fromDraft(draft)) };
    },
    onSuccess: async (result) => {
      if (result.kind === "taken") return onTaken();
      if (result.kind === "elsewhere") return;
      await client.invalidateQueries({ queryKey: ["library"] });
      onSaved(result.kept);
    },
  });
}

async function findObstacle({
  draft,
  storedId,
  origin,
}: Omit<SaveOptions, "onSaved" | "onTaken">): Promise<SaveObstacle | null> {
  const there = await findScenario(draft.id);
  if (there === "unknown") return null;
  if (draft.id !== storedId) return there ? { kind: "taken" } : null;
  return origin !== null && there?.version !== origin ? { kind: "elsewhere", theirs: there } : null;
}
