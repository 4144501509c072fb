// Webhooks and ntfy topics of the server.

export const english = {
  title: "Webhooks and ntfy",
  about:
    "For people without a browser at hand. Only https at public hosts; name a host of your own network with {flag}. The other server sees what you choose here.",
  secret: "Key for the signatures of this webhook, shown only now: {key}",
  targets: "Targets",
  noAnswer: "No answer.",
  sent: "The test was sent.",
  test: "Send a test",
  removeLabel: (url: string) => `Remove: ${url}`,
  remove: "Remove",
  kind: "Kind",
  address: "Address",
  topic: "Address with topic",
  token: "Access token (optional)",
  add: "Add",
};
