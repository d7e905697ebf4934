import { expect, test } from "vitest";
import { renderHtml } from "../../test/page/support/render.ts";
import { ReplyComparison } from "./reply-comparison.tsx";
import { withMarks } from "./reply-marks.ts";

const mark = { start: 9, end: 12, reason: "grounded facts: no source" };

test("marks the word in the reply", () => {
  const html = renderHtml(<ReplyComparison reference="" reply="It costs $49 now." mode="plain" marks={[mark]} />);
  expect(html).toMatch(/It costs <\/span><mark[^>]*title="grounded facts: no source"[^>]*>\$49<\/mark>/);
});

test("splits the parts of a diff at marks, by their places in the reply", () => {
  const parts = [
    { kind: "same", text: "It costs " },
    { kind: "removed", text: "$47" },
    { kind: "added", text: "$49 now" },
  ] as const;
  expect(withMarks(parts, [mark])).toEqual([
    parts[0],
    parts[1],
    { kind: "added", text: "$49", mark },
    { kind: "added", text: " now" },
  ]);
});
