// Prints sessions that need a person, then those that run. Set QUARTERDECK_URL and QUARTERDECK_TOKEN.
import { connect } from "@quarterdeck/client";

const client = connect({
  url: process.env["QUARTERDECK_URL"] ?? "http://127.0.0.1:7433",
  credentials: { kind: "token", token: process.env["QUARTERDECK_TOKEN"] ?? "" },
  client: { name: "list-sessions", version: "1" },
});
const { sessions } = await client.call("sessions/list", { state: "live" });
for (const { id, title = "(no title)", phase, waiting } of sessions) {
  console.log(`${id.slice(0, 8)}  ${phase.padEnd(10)}  ${title}`);
  for (const { about } of waiting) console.log(`          waits: ${about}`);
}
client.close();
