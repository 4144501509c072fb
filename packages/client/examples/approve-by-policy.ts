// Allows tools that only read, and leaves everything else to a person. Runs until it is stopped.
import { connect, hashOf } from "@quarterdeck/client";
import type { OpenRequest } from "@quarterdeck/client";

const READING = new Set(["Read", "Glob", "Grep", "LS"]);
const client = connect({
  url: process.env["QUARTERDECK_URL"] ?? "http://127.0.0.1:7433",
  credentials: { kind: "token", token: process.env["QUARTERDECK_TOKEN"] ?? "" },
  client: { name: "approve-by-policy", version: "1" },
});
const seen = new Set<string>();
const consider = async (session: string, { id: requestId, incarnation, request }: OpenRequest): Promise<void> => {
  if (request.subtype !== "can_use_tool" || seen.has(requestId)) return;
  seen.add(requestId);
  console.log(`${request.tool_name}: ${READING.has(request.tool_name) ? "allowed" : "left to a person"}`);
  if (!READING.has(request.tool_name)) return;
  const answer = {
    session,
    requestId,
    incarnation,
    inputHash: await hashOf(request),
    answer: { kind: "allow" },
  } as const;
  // Another client may have answered first. That is fine.
  await client.command("session/respond", answer).catch((error: Error) => console.log(error.message));
};
client.sessions.subscribe(() => {
  for (const { id, live } of client.sessions.snapshot.sessions) {
    if (!live || seen.has(id)) continue;
    seen.add(id);
    const view = client.session(id);
    view.subscribe(() => view.snapshot.head.requests.forEach((request) => void consider(id, request)));
  }
});
