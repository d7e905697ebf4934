import { Check, CircleHelp, X, type LucideIcon } from "lucide-react";
import type { ModelCapabilities } from "../../src/contract/agent-capabilities.ts";
import { Tip } from "../parts/tip.tsx";

type Capabilities = ModelCapabilities["capabilities"];
type Verdict = Capabilities["streaming"]["verdict"];

const names: Record<keyof Capabilities, string> = {
  streaming: "streams",
  streaming_usage: "counts tokens while streaming",
  tools: "tools",
  parallel_tools: "several tools at once",
  json_schema: "JSON by schema",
};

const looks: Record<Verdict, { icon: LucideIcon; words: string; className: string }> = {
  yes: { icon: Check, words: "yes", className: "text-good" },
  no: { icon: X, words: "no", className: "text-bad" },
  unknown: { icon: CircleHelp, words: "not known", className: "text-soft" },
};

/** What a model was seen to do; each with what was seen. */
export function CapabilityChips({ capabilities }: { capabilities: Capabilities }) {
  return (
    <ul aria-label="Capabilities" className="flex flex-wrap gap-1">
      {(Object.keys(names) as (keyof Capabilities)[]).map((key) => {
        const { verdict, detail } = capabilities[key];
        const { icon: Icon, words, className } = looks[verdict];
        return (
          <li key={key}>
            <Tip text={detail}>
              <span className="tag inline-flex items-center gap-1">
                <Icon aria-hidden size={12} className={className} />
                {names[key]}
                <span className="sr-only">: {words}</span>
              </span>
            </Tip>
          </li>
        );
      })}
    </ul>
  );
}
