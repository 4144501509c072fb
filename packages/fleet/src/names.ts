// Names of nodes. They are part of NATS subjects and of paths, so only plain letters, digits and dashes are allowed.

const NODE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/u;

export const isNodeName = (name: string): boolean => NODE_NAME.test(name);

/** A name made from a host name, or undefined if nothing usable is left. */
export const nodeNameFrom = (hostname: string): string | undefined => {
  const [first = ""] = hostname.toLowerCase().split(".");
  const name = first
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 32)
    .replace(/-+$/u, "");
  return isNodeName(name) ? name : undefined;
};
