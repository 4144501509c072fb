// Starts a session with a prompt and prints the answer as it comes. node stream-prompt.ts FOLDER "prompt"
import { connect } from "@quarterdeck/client";

const [, , cwd = process.cwd(), prompt = "Say hello."] = process.argv;
const client = connect({
  url: process.env["QUARTERDECK_URL"] ?? "http://127.0.0.1:7433",
  credentials: { kind: "token", token: process.env["QUARTERDECK_TOKEN"] ?? "" },
  client: { name: "stream-prompt", version: "1" },
});
const { session } = await client.command("sessions/start", { cwd, prompt });
const view = client.session(session.id);
const written = new Map<string, number>();
view.subscribe(() => {
  const { rows, drafts } = view.snapshot;
  // A row has the id of its draft, so each text is printed once, as it grows.
  for (const part of [...rows, ...drafts]) {
    if (part.kind !== "text") continue;
    process.stdout.write(part.text.slice(written.get(part.id) ?? 0));
    written.set(part.id, part.text.length);
  }
  if (rows.some(({ kind }) => kind === "turn")) client.close();
});
