import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { loadConversation } from "../chat/stored-conversation.ts";
import { scenarioPath } from "../parts/paths.ts";
import { Screen } from "../parts/screen.tsx";
import { SegmentedChoice } from "../parts/segmented-choice.tsx";
import { useModelName } from "../parts/use-model-name.ts";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { answeringModels, draftFromChat } from "./draft-from-chat.ts";
import { emptyScenario } from "./scenario-draft.ts";
import { savedSearch } from "./saved-search.ts";
import { ScenarioEditor } from "./scenario-editor.tsx";

/** `?from=chat` starts from the conversation of this tab; `?column=` picks whose replies become references. */
export default function NewScenarioScreen() {
  const [params] = useSearchState();
  const [, navigate] = useLocation();
  const modelName = useModelName();
  const fromChat = params.get("from") === "chat";
  const conversation = useMemo(() => (fromChat ? loadConversation() : []), [fromChat]);
  const models = answeringModels(conversation);
  const column = Number(params.get("column") ?? models[0]?.column ?? 0);
  const first = useMemo(
    () => (fromChat ? draftFromChat(conversation, column) : emptyScenario),
    [fromChat, conversation, column],
  );

  return (
    <Screen title={fromChat ? "Save the chat as a scenario" : "New scenario"}>
      {fromChat && models.length === 0 && (
        <p className="panel p-4 text-soft">
          There is no reply in this tab's chat to start from.{" "}
          <Link href="/chat" className="link">
            Go to the chat
          </Link>
        </p>
      )}
      {models.length > 0 && (
        <p className="text-sm text-soft">
          The replies stand as references. Change what a good reply should say before you save.
        </p>
      )}
      {models.length > 1 && (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          References from
          <SegmentedChoice
            legend="Whose replies become references"
            segments={models.map((entry) => ({ value: String(entry.column), label: modelName(entry.model) }))}
            value={String(column)}
            onChange={(value) => changeSearch({ column: value })}
          />
        </div>
      )}
      <ScenarioEditor
        key={`${fromChat} ${column}`}
        // What was written about a chat that has gone on since is about another one.
        place={fromChat ? `from chat ${JSON.stringify(first)}` : "new"}
        first={first}
        storedId={null}
        version={null}
        onSaved={(kept) => kept && navigate(scenarioPath(kept.id) + savedSearch(kept))}
      />
    </Screen>
  );
}
