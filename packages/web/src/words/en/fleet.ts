// Other machines of the fleet.

export const english = {
  machines: "Machines",
  here: "here",
  hereTip: "The machine that serves this page",
  quiet: "not answering",
  awaySince: (when: string) => `away since ${when}`,
  shut: "does not let you in",
  connecting: "connecting",
  needs: (count: number) => (count === 1 ? "1 needs you" : `${count} need you`),
  sessions: (count: number) => (count === 1 ? "1 session" : `${count} sessions`),
  more: (count: number) => `Show ${count} more`,
  start: (machine: string) => `Start a session on ${machine}`,
  machine: "Machine",
  allMachines: "All machines",
  thisMachine: (machine: string) => `${machine} (here)`,
  named: (name: string, words: string) => `${name}: ${words}`,
  lastList: "You see what was known before. Nothing is sent to it, and nothing waits for it.",
  isAway: (machine: string, when: string) => `${machine} is away since ${when}.`,
  isQuiet: (machine: string) => `${machine} is not answering.`,
  isShut: (machine: string) => `${machine} does not let this device in.`,
  isUnknown: (machine: string) => `The fleet has no machine ${machine}.`,
  unknownHint: "The link may be old, or the machine left the fleet.",
  smaller: (machine: string, role: string) => `On ${machine} this device can only ${role}.`,
  allow: (gateway: string, role: string) => `For more, run this there: quarterdeck fleet allow ${gateway} ${role}`,
  older: (machine: string, own: string) =>
    `${machine} runs an older Quarterdeck than ${own}. What both know works. Update ${machine}.`,
  newer: (machine: string, own: string) =>
    `${machine} runs a newer Quarterdeck than ${own}. What both know works. Update ${own}.`,
  refused: (machine: string) => `${machine} is away. Nothing was sent. Try again when it is back.`,
  forbidden: (why: string, machine: string, gateway: string) =>
    `${why} The owner of ${machine} can allow more: quarterdeck fleet allow ${gateway} ROLE`,
  roles: { view: "look on", answer: "answer requests", operate: "work in sessions", admin: "do everything" },
  wasWorking: "was working",
  wasWaiting: "had a request",
};
