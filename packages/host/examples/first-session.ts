// A session in twenty lines: streams the answer, shows the tools, answers what is asked.
//   node --conditions=source examples/first-session.ts "What is in this folder?"

import { listen, openHost } from "@quarterdeck/host";

const host = await openHost({ claude: process.env["CLAUDE"] ?? "claude" });
const session = await host.start({ cwd: process.cwd() });
const done = Promise.withResolvers<void>();

listen(session, {
  onText: (text) => process.stdout.write(text),
  onToolStart: (name, _id, input) => console.log(`\n● ${name} ${JSON.stringify(input)}`),
  onToolEnd: (_id, result) => console.log(result),
  onRequest: (request) => void session.respond(request.id, { behavior: "allow" }, { id: "example" }),
  onComplete: (_result, costUsd) => done.resolve(console.log(`\n$${costUsd.toFixed(4)}`)),
  onError: (error) => done.reject(error),
});
await session.prompt(process.argv[2] ?? "What is in this folder?");
try {
  await done.promise;
} finally {
  await host.close();
}
