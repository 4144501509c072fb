import type { Row } from "@quarterdeck/session";
import { expect, it } from "vitest";
import { resourcesOfRows } from "./listed-resources.ts";

const row = (name: string, result: object): Row => ({ kind: "tool", name, result }) as unknown as Row;

it("knows the resources that servers listed, from data or from text, the newest name of each", () => {
  const today = { uri: "tide://today", name: "Today", server: "tide" };
  expect(
    resourcesOfRows([
      row("Read", { text: JSON.stringify([today]) }),
      row("ListMcpResourcesTool", { text: "", structured: [{ ...today, name: "Old" }] }),
      row("ListMcpResourcesTool", { text: JSON.stringify([today, { uri: 5, server: "tide" }, null]) }),
      row("ListMcpResourcesTool", { text: "No resources found." }),
    ]),
  ).toEqual([{ kind: "resource", value: "tide:tide://today", about: "Today" }]);
});
