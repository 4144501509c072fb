import type { Session } from "@quarterdeck/host";
import type { Row } from "@quarterdeck/session";
import { expect, it } from "vitest";
import { resourcesOfRows } from "./listed-resources.ts";
import { suggest } from "./mentions.ts";
import type { GitSight } from "./shared-git.ts";

const row = (name: string, result: object): Row => ({ kind: "tool", name, result }) as unknown as Row;

it("[Q2] knows the resources that servers listed, from data or from text, the newest name of each", () => {
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

it("[Q2] completes a mention of a connected server with what it listed, and passes other addresses through", async () => {
  const listed = [
    { uri: "tide://today", name: "Today", server: "tide" },
    { uri: "tide://brest", name: "Brest", server: "tide" },
    { uri: "moon://full", name: "Moon", server: "moon" },
  ];
  const session = {
    head: { servers: [{ name: "tide", status: "connected" }], about: {} },
    rowsBefore: () => ({ rows: [row("ListMcpResourcesTool", { text: JSON.stringify(listed) })] }),
  } as unknown as Session;
  const valuesFor = async (query: string): Promise<string[]> => {
    // A mention of a server reads no folder.
    const { suggestions } = await suggest({ folder: "/", sight: {} as GitSight, session, query, limit: 10 });
    return suggestions.map(({ kind, value, about }) => `${kind} ${value} ${about}`);
  };
  expect((await valuesFor("tide:")).toSorted()).toEqual([
    "resource tide: tide",
    "resource tide:tide://brest Brest",
    "resource tide:tide://today Today",
  ]);
  expect(await valuesFor("tide:tide://tod")).toEqual([
    "resource tide:tide://today Today",
    "resource tide:tide://tod tide",
  ]);
  expect(await valuesFor("tide:tide://new")).toEqual(["resource tide:tide://new tide"]);
});
