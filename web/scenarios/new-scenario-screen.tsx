import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { chatSettings } from "../chat/chat-settings.ts";
import { loadConversation, type ChatConversation } from "../chat/conversation.ts";
import { scenarioPath } from "../parts/address/paths.ts";
import { Screen } from "../parts/screen/screen.tsx";
import { SegmentedControl } from "../parts/forms/segmented-control.tsx";
import { useModelName } from "../parts/runs/model-names.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { answeringModels, draftFromChat } from "./draft-from-chat.ts";
import { emptyScenario } from "./edited-scenario.ts";
import { savedSearch } from "./saved-notice.tsx";
import { ScenarioEditor } from "./scenario-editor.tsx";

/** `?from=chat` starts from this tab's chat; `?turn=` ends it there, and `?column=` selects the model whose replies become references. */
export default function NewScenarioScreen() {
  const [params] = useSearchState();
  const [, navigate] = useLocation();
  const modelName = useModelName();
  const fromChat = params.get("from") === "chat";
  const turn = params.get("turn");
  const conversation = useMemo(() => (fromChat ? conversationUntil(turn) : []), [fromChat, turn]);
  const models = answeringModels(conversation);
  const column = Number(params.get("column") ?? models[0]?.column ?? 0);
  const initial = useMemo(
    () =>
      fromChat ? { ...draftFromChat(conversation, column), system_prompt: chatSettings().systemPrompt } : emptyScenario,
    [fromChat, conversation, column],
  );

  return (
    <Screen title={fromChat ? "Save the chat as a scenario" : "New scenario"}>
      {fromChat && models.length === 0 && (
        <p className="panel p-4 text-soft">
          The chat in this tab has no replies yet.{" "}
          <Link href="/chat" className="link">
            Go to the chat
          </Link>
        </p>
      )}
      {models.length > 0 && (
        <p className="text-sm text-soft">Replies are filled in as references. Edit them before saving.</p>
      )}
      {models.length > 1 && (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          References from
          <SegmentedControl
            legend="Whose replies become references"
            segments={models.map((entry) => ({ value: String(entry.column), label: modelName(entry.model) }))}
            value={String(column)}
            onChange={(value) => changeSearch({ column: value })}
          />
        </div>
      )}
      <ScenarioEditor
        key={`${fromChat} ${column}`}
        // A draft belongs to one state of the chat: after more turns it does not apply.
        draftKey={fromChat ? `from chat ${JSON.stringify(initial)}` : "new"}
        initial={initial}
        storedId={null}
        version={null}
        onSaved={(kept) => kept && navigate(scenarioPath(kept.id) + savedSearch(kept))}
      />
    </Screen>
  );
}

/** The chat of this tab up to an exchange; all of it when there is no such exchange. */
function conversationUntil(exchangeId: string | null): ChatConversation {
  const conversation = loadConversation();
  const index = conversation.findIndex(({ id }) => id === exchangeId);
  return index === -1 ? conversation : conversation.slice(0, index + 1);
}
