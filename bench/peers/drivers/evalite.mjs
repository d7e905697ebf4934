import { readFileSync } from "node:fs";
import { evalite } from "evalite";

const { url, batch } = JSON.parse(readFileSync("work.json", "utf8"));

evalite("bench", {
  data: () =>
    batch.test_batch.map(({ interactions: [turn] }) => ({ input: turn.user_message, expected: turn.reference_reply })),
  task: async (content) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "fake", messages: [{ role: "user", content }] }),
    });
    const { choices } = await answer.json();
    return choices[0].message.content;
  },
  scorers: [{ name: "same", scorer: ({ output, expected }) => (output === expected ? 1 : 0) }],
});
