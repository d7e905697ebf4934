import { useMutation, useQueryClient } from "@tanstack/react-query";
import { findScenario, hasScenario, keepScenario, type Kept, type Stored } from "../library-api.ts";
import { fromDraft, type ScenarioDraft } from "./scenario-draft.ts";

interface SaveOptions {
  readonly draft: ScenarioDraft;
  /** The id under which it is stored already. */
  readonly storedId: string | null;
  /** The version it was written upon. */
  readonly origin: string | null;
  /** Called as soon as it is stored, before it is read back. */
  readonly onKept: (kept: Kept | undefined) => void;
  /** `written` is what was stored: more may have been typed meanwhile. */
  readonly onSaved: (kept: Kept | undefined, written: ScenarioDraft) => void;
  /** Called before anybody is asked. */
  readonly onTaken: () => void;
}

interface Saved {
  readonly kind: "kept";
  readonly kept: Kept | undefined;
  readonly written: ScenarioDraft;
}

/** Why a scenario was not saved at once: another has its id, or it is not what it was when it was opened. */
type SaveObstacle = { readonly kind: "taken" } | { readonly kind: "elsewhere"; readonly theirs: Stored };

/** Saves a scenario. What would put another one aside is told of first, and done when it is wanted `anyway`. */
export function useSaveScenario({ draft, storedId, origin, onKept, onSaved, onTaken }: SaveOptions) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ anyway }: { anyway: boolean }): Promise<SaveObstacle | Saved> => {
      const obstacle = anyway ? null : await findObstacle({ draft, storedId, origin });
      return obstacle ?? { kind: "kept", kept: await keepScenario(fromDraft(draft)), written: draft };
    },
    onSuccess: async (result) => {
      if (result.kind === "taken") return onTaken();
      if (result.kind === "elsewhere") return;
      onKept(result.kept);
      await client.invalidateQueries({ queryKey: ["library"] });
      onSaved(result.kept, result.written);
    },
  });
}

async function findObstacle({
  draft,
  storedId,
  origin,
}: Pick<SaveOptions, "draft" | "storedId" | "origin">): Promise<SaveObstacle | null> {
  if (draft.id !== storedId) return (await hasScenario(draft.id)) ? { kind: "taken" } : null;
  const there = await findScenario(draft.id);
  if (there === "unknown") return null;
  return origin !== null && there?.version !== origin ? { kind: "elsewhere", theirs: there } : null;
}
