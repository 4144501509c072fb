// The tab of hooks, and what a hook did.

const because = (reason: string) => (reason === "" ? "" : `: ${reason}`);

export const english = {
  hooks: "Hooks",
  configured: "Configured",
  ended: "The process has ended. Resume the session to see its hooks.",
  notListed: "This version of Claude Code does not list its hooks. They are in your settings files.",
  allOff: "All hooks are turned off by your settings.",
  policyOff: "A managed policy turned hooks off.",
  noneConfigured: "No hooks are configured.",
  fired: "Fired",
  noneFired: "No hook has fired in this session.",
  showInConversation: "Show in conversation",
  managed: "managed settings",
  outcomes: { blocked: "blocked", success: "success", error: "error", cancelled: "cancelled", runs: "runs" },
  exit: (code: number) => `exit ${code}`,
  /** What a hook did: sentences without a subject. A reason may be empty. */
  did: {
    blocked: (reason: string) => `blocked${because(reason)}`,
    allow: (reason: string) => `answered this: allowed the call${because(reason)}`,
    deny: (reason: string) => `answered this: denied the call${because(reason)}`,
    ask: (reason: string) => `wants a person to be asked${because(reason)}`,
    defer: (reason: string) => `left the decision to others${because(reason)}`,
    other: (decision: string, reason: string) => `answered this: ${decision}${because(reason)}`,
    stopped: (reason: string) => `stopped the turn${because(reason)}`,
    input: "changed the input",
    output: "changed the output",
    toldClaude: (text: string) => `told Claude: ${text}`,
    toldYou: (text: string) => `told you: ${text}`,
  },
};
