// Prints the facts of a session's log, one JSON object per line, and continues with new ones.
// node tail-events.ts SESSION
import { connect } from "@quarterdeck/client";

const [, , session = ""] = process.argv;
const client = connect({
  url: process.env["QUARTERDECK_URL"] ?? "http://127.0.0.1:7433",
  credentials: { kind: "token", token: process.env["QUARTERDECK_TOKEN"] ?? "" },
  client: { name: "tail-events", version: "1" },
});
let seq = 0;
let reading = Promise.resolve();
const read = async (): Promise<void> => {
  for (;;) {
    const { events } = await client.call("session/events", { session, after: seq });
    for (const event of events) console.log(JSON.stringify(event));
    if (events.length === 0) return;
    seq = events.at(-1)!.seq;
  }
};
client.session(session).subscribe(() => {
  reading = reading.then(read);
});
