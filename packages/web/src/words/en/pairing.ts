// The screen of a browser that is not paired.

export const english = {
  pair: "Pair this browser",
  pairAgain: "Pair again",
  keepPairing: "Keep the current pairing",
  notPaired: "This browser isn't paired yet",
  ownKey:
    "It gets its own key, which never leaves this browser. You can revoke access at any time in Settings > Devices.",
  createLink: "Create a link in Settings > Devices of a paired browser, or run this on the machine with Quarterdeck:",
  linkOrCode: "Link or code",
  deviceName: "Device name",
  browser: "Browser",
};
