import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createFold, eventsOfRecording } from "./index.ts";

it("keeps the arguments and aliases of a slash command", () => {
  const recording = new URL(
    "../../protocol/fixtures/recordings/2.1.325/11h_hook_callbacks_with_events.ndjson",
    import.meta.url,
  );
  const fold = createFold();
  for (const event of eventsOfRecording(readFileSync(recording, "utf8"))) fold.apply(event);
  const command = (name: string) => fold.head.commands.find((known) => known.name === name);
  expect(command("debug")).toMatchObject({ hint: "[issue description]" });
  expect(command("clear")).toMatchObject({ hint: "[name]", aliases: ["reset", "new"] });
  expect(command("context")).not.toHaveProperty("hint");
  expect(command("context")).not.toHaveProperty("aliases");
});
