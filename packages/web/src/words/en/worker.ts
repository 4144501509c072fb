// Notifications of the service worker itself. It has all languages: it cannot load another file when a message arrives.

export const english = {
  allow: "Allow",
  deny: "Deny",
  unknown: "Something happened. Open the page to see it.",
  elsewhere: "Answered elsewhere.",
  removed: "This device was removed from the server.",
  notAnswered: "Not answered",
  notPaired: "This browser is not paired any more.",
};
