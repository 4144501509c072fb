// Devices, and links that pair one more.

export const english = {
  roles: {
    view: "Read only",
    answer: "Answer requests",
    operate: "Send and answer",
    admin: "Admin",
  },
  ownRole: (role: string) => `Role of this device: ${role}. Only admins can see and change devices.`,
  revoked: (name: string) => `Revoked access for “${name}”.`,
  devices: "Devices",
  thisDevice: "this device",
  connected: "connected",
  program: "Program",
  browser: "Browser",
  neverActive: "never active",
  active: (when: string) => `active ${when}`,
  lockOut: "Lock out this device?",
  confirm: "Confirm",
  revoke: "Revoke",
  label: (action: string, name: string) => `${action}: ${name}`,
  newRole: "New device: role",
  create: "Create link",
  another: "Create another",
  openLink: "Open this link on the new device. It works once.",
  onlyHere: "This link works only on this machine, so it has no QR code. It works once.",
  forPhone:
    "For a phone, open Quarterdeck at an address that the phone reaches, and create the link there. With Tailscale, run {serve} and restart with {restart}. docs/serving.md has the other ways.",
  pairingLink: "Pairing link",
  copied: "Link copied.",
  copy: "Copy",
  expires: (span: string) => `expires in ${span}`,
  expired: "The link has expired.",
  reach: "Reaching this server from a phone",
  needsHttps:
    "A phone can't reach this address: it needs HTTPS. docs/serving.md shows how, for example with Tailscale.",
  tailscale: (name: string) =>
    `A phone can't reach this address yet. Tailscale runs on this machine as ${name}. On the server's machine, run:`,
  qr: "QR code of the link",
};
