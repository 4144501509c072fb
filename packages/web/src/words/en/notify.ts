// Notifications, webhooks, and sessions that are kept for reading offline.

export const english = {
  events: {
    waiting: "When Claude needs me",
    finished: "When a turn finishes",
    failed: "When a turn fails",
  },
  hide: "Hide content (no session, no command, no buttons)",
  quiet: "Quiet hours",
  from: "From",
  to: "To",
  blocked: "Your browser blocks notifications from this page. Allow them in the browser's site settings.",
  noAnswer: "no answer",
  sent: "The test was sent.",
  push: "Push notifications",
  cannotPush:
    "This browser can't get push notifications here. They need HTTPS or this machine, and on an iPhone the page must be added to the Home Screen.",
  pushHere: "Push notifications to this browser",
  pushAbout:
    "Sent when nobody looks at a page, also when this one is closed. They are encrypted: the push service of your browser can't read them.",
  test: "Send a test",
  muteSession: (title: string) => `Mute this session: ${title}`,
  muteProject: (name: string) => `Mute this project: ${name}`,
  muteMachine: (name: string) => `Mute this machine: ${name}`,
  muted: (count: number) => `${count} more muted.`,
  unmute: "Unmute all",
  offline: "Reading offline",
  keep: "Keep recent sessions readable offline",
  keepOn:
    "This browser keeps the last 60 messages of the last ten sessions that you open, unencrypted, for a week. They are deleted when you turn this off or this device is revoked.",
  keepOff: "Off: this browser keeps no messages.",
  notifyMe: "Notify me",
  never: "Never",
  alsoEnd: "Also when a turn ends",
  unable:
    "Notifications aren't available. Some browsers allow them only over HTTPS or on localhost. The number in the tab title still works.",
  granted: "Allowed. You get notifications while a Quarterdeck tab is open in this browser.",
  notAsked: "The browser hasn't asked for permission yet.",
  example: "This is how a request looks.",
  kept: "Kept on this device",
  who: {
    you: "You",
    claude: "Claude",
    tool: "Tool",
    note: "Note",
  },
  newVersion: "A new version of this page is ready.",
  reload: "Reload",
  ask: "Turn on notifications?",
  askWhy:
    "Know when a session needs you, also when this page is closed. They are encrypted, and Settings can hide their content.",
  turnOn: "Turn on",
  notNow: "Not now",
};
